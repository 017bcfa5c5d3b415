import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(256, 256) for _ in range(8))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(1024, 16), 24)
        self.decoder = Decoder()

    def forward(self, x):
        return self.decoder(self.encoder(x))


def train(loader):
    model = Net().cuda()
    optimizer = torch.optim.AdamW(model.decoder.parameters())  # want SAT406 "not fused; it updates a part of the model"
    run(model, loader, optimizer)


def run(model, loader, optimizer):
    for x in loader:
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


if __name__ == "__main__":
    train([])
