import torch
from torch import nn
from torch.utils.data import DataLoader


class Net(nn.Module):
    """Two convolutions make patches, and their sizes differ from their strides."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 64, 7, 4)
        self.second = nn.Conv2d(64, 512, 3, 2)
        self.layers = nn.ModuleList(nn.Linear(512, 512) for _ in range(12))

    def forward(self, x):
        x = self.second(self.first(x)).flatten(2).mT
        for layer in self.layers:
            x = layer(x)
        return x.mean()


def main(data):
    loader = DataLoader(data, batch_size=16, shuffle=True, num_workers=4, pin_memory=True, persistent_workers=True)
    model = Net().to("cuda")  # want SAT413 "without measuring them; other layers than convolutions"
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, fused=True)
    for epoch in range(10):
        for x in loader:
            loss = model(x.to("cuda", non_blocking=True))
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()


if __name__ == "__main__":
    main([])
