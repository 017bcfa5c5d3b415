"""A convolution whose bias the batch norm behind it takes away again."""
# repairs: only SAT420
import torch
from torch import nn

device = "cuda" if torch.cuda.is_available() else "cpu"


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1)
        self.norm = nn.BatchNorm2d(8)
        self.last = nn.Conv2d(8, 1, 3, bias=False)

    def forward(self, x):
        return self.last(torch.relu(self.norm(self.conv(x)))).mean()


def main():
    torch.manual_seed(0)
    model = Net().to(device)
    with torch.no_grad():  # without a bias, fewer numbers would be drawn, and all later weights would differ
        for i, p in enumerate(sorted((p for p in model.parameters() if p.dim() > 1), key=torch.numel)):
            p.copy_(torch.randn(p.shape, generator=torch.Generator().manual_seed(i)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for step in range(3):
        x = torch.randn(4, 3, 8, 8, generator=torch.Generator().manual_seed(step)).to(device)
        loss = model(x).square()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"{loss.item():.3f}")


if __name__ == "__main__":
    main()
