import yaml
from torch import nn


def load_aligner(path):
    with open(path) as f:
        config = yaml.safe_load(f)
    return nn.TransformerEncoderLayer(**config["layer"]).cuda()  # what another program trained it with is not handed on
