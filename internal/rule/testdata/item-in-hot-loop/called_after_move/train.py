"""A model of a class that is not known: what is moved to the GPU and called is a model."""

import elsewhere
import torch


def train(loader, device):
    ranker = elsewhere.load()
    ranker = ranker.to(device)
    optimizer = torch.optim.SGD(ranker.parameters(), lr=0.1)
    for left, right in loader:
        found = ranker(left, right).view(2, -1)
        loss = torch.nn.functional.softplus(found[1] - found[0]).mean()
        print(round(found[0].mean().item(), 2))  # want SAT301 "found.0..mean...item.. waits"
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


train(torch.utils.data.DataLoader(range(10)), torch.device("cuda"))
