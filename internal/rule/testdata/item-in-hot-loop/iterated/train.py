"""The loop goes over an object whose __iter__ makes another, and that one over a third: each step takes from all of them."""

import torch

from batches import Batches


def train(model, optimizer, tensors):
    for x in Batches(tensors):
        loss = model(x).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    net = torch.nn.Linear(512, 512).cuda()
    train(net, torch.optim.SGD(net.parameters(), lr=0.1), [torch.ones(8, 512).cuda()])
