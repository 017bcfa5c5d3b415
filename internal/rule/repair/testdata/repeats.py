"""A pooled vector and a token that repeat copies before they are joined with the points."""
# repairs: only SAT425
import torch
from torch import nn

device = "cuda" if torch.cuda.is_available() else "cpu"


class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.token = nn.Parameter(torch.full((1, 1, 4), 0.5))
        self.start = nn.Parameter(torch.ones(1, 1, 4))
        self.conv = nn.Conv1d(width, width, 1)
        self.head = nn.Linear(4, 1)

    def forward(self, x):
        x = self.conv(x)
        pooled = x.max(dim=-1, keepdim=True)[0].repeat(1, 1, x.size(2))
        x = torch.cat((x, pooled), dim=1)
        x = torch.cat((self.start.repeat(x.size(0), 1, 1), x), dim=1)
        order = x.detach().mean(-1).argsort(-1)
        x = x.gather(1, order.unsqueeze(-1).repeat(1, 1, x.size(2)))
        return self.head(x + x.mean(1).unsqueeze(1).repeat(1, x.size(1), 1) + self.token)


def main():
    random = torch.Generator().manual_seed(0)
    model = Net(3).to(device)
    for name, weight in model.named_parameters():
        nn.init.constant_(weight, 0.1) if weight.dim() < 2 else weight.data.copy_(torch.linspace(-0.5, 0.5, weight.numel()).view_as(weight))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
    for step in range(4):
        x = torch.randn(2, 3, 4, generator=random).to(device)
        loss = model(x).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"{loss.item():.4f}")


if __name__ == "__main__":
    main()
