"""Pairs of nodes that an evaluation takes by numbers from a loader."""
# repairs: SAT133
import torch
from torch import nn
from torch.utils.data import DataLoader


@torch.no_grad()
def evaluate(model, nodes, pairs, size):
    model.eval()
    hits = []
    for rows in DataLoader(range(pairs.size(0)), size):
        left, right = pairs[rows].t()
        hits.append(model(nodes[left] * nodes[right]).squeeze().cpu())
    return torch.cat(hits).mean()


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Linear(8, 1).to(device)
    nodes = torch.randn(100, 8, device=device)
    pairs = torch.randint(100, (1000, 2), device=device)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for epoch in range(3):
        model.train()
        for rows in torch.arange(1000, device=device).split(256):
            optimizer.zero_grad()
            left, right = pairs[rows].t()
            loss = -model(nodes[left] * nodes[right]).sigmoid().log().mean()
            loss.backward()
            optimizer.step()
        print(epoch, evaluate(model, nodes, pairs, 256))


if __name__ == "__main__":
    main()
