import torch
from torch import nn


class Graph(nn.Module):
    def __init__(self, width, classes):
        super().__init__()
        self.out = nn.Linear(width, classes)

    def forward(self, x, edges):
        return self.out(torch.sparse.mm(edges, x))


def right(model, x, edges, labels, part):
    model.eval()
    scores = model(x, edges)  # want SAT512 "evaluation builds a graph"
    return (scores[part].argmax(-1) == labels[part]).float().mean()


def train(x, edges, labels, known, held_out):
    model = Graph(x.shape[1], 7).cuda()
    optimizer = torch.optim.Adam(model.parameters(), fused=True)
    for epoch in range(200):
        model.train()
        loss = nn.functional.cross_entropy(model(x, edges)[known], labels[known])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(epoch, right(model, x, edges, labels, held_out))
