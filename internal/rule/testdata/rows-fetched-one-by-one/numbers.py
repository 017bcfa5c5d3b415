import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader


def train(model, nodes, pairs, optimizer, batch_size):
    for rows in DataLoader(range(pairs.size(0)), batch_size, shuffle=True):  # want SAT133 "one by one"
        optimizer.zero_grad()
        left, right = pairs[rows].t()
        loss = -model(nodes[left] * nodes[right]).sigmoid().log().mean()
        loss.backward()
        optimizer.step()


@torch.no_grad()
def test(model, nodes, pairs, others, batch_size):
    hits = []
    for rows in DataLoader(range(pairs.size(0)), batch_size):  # want SAT133 "one by one"
        left, right = pairs[rows].t()
        hits += [model(nodes[left] * nodes[right]).squeeze().cpu()]
    for rows in DataLoader(range(others.size(0)), batch_size):
        left, right = others[rows].t()
        hits += [model(nodes[left] * nodes[right]).squeeze().cpu()]
    return torch.cat(hits).mean()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch_size", type=int, default=64 * 1024)
    args = parser.parse_args()
    device = torch.device("cuda")
    model = nn.Linear(128, 1).to(device)
    nodes = torch.randn(1_000_000, 128, device=device)
    pairs = torch.load("pairs.pt").to(device)
    optimizer = torch.optim.Adam(model.parameters(), fused=True)
    for epoch in range(100):
        train(model, nodes, pairs, optimizer, args.batch_size)
        print(test(model, nodes, pairs, pairs.flip(1), args.batch_size))


if __name__ == "__main__":
    main()
