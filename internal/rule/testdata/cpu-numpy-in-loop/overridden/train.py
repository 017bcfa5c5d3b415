import torch
from torch.utils.data import DataLoader
from trainer import Careful


def main():
    model = torch.nn.Linear(256, 256).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    Careful(model, optimizer).fit(DataLoader(torch.randn(1000, 256), batch_size=64))


if __name__ == "__main__":
    main()
