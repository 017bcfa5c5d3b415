from torch import nn

from loop import Fitting

if __name__ == "__main__":
    model = nn.TransformerEncoderLayer(1024, 16).to("cuda")
    Fitting(model).fit([])
