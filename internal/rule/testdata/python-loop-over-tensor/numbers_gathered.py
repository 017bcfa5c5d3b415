import numpy as np
import torch
from numba import njit


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(8, 8)

    def pool(self, graphs):
        index, weights = [], []
        start = 0
        for i, graph in enumerate(graphs):  # want SAT319 "number by number"
            weights.extend([1] * len(graph.nodes))
            index.extend([[i, j] for j in range(start, start + len(graph.nodes))])
            start += len(graph.nodes)
        return torch.LongTensor(index).to("cuda")

    def pairs(self, graphs):
        rows = []
        for graph in graphs:  # want SAT319 "number by number"
            for k in range(len(graph.nodes)):
                rows.append((k, 0))
        return torch.tensor(rows).to("cuda")

    def labels(self, graphs):
        rows = []
        for graph in graphs:
            rows.append(graph.label)  # one for each sample
        return torch.tensor(rows).to("cuda")

    def align(self, durations):
        n, length = durations.shape
        out = np.zeros((n, 100, length))
        for i in range(n):  # want SAT319 "an array number by number"
            at = 0
            for j in range(length):
                for k in range(durations[i][j]):
                    out[i][at + k][j] = 1
                at += durations[i][j]
        return torch.from_numpy(out).to("cuda")

    @staticmethod
    @njit
    def fast(durations, out):
        for i in range(len(out)):
            for j in range(10):
                out[i][j] = 1  # compiled
        return out

    def forward(self, graphs, durations):
        self.labels(graphs)
        self.fast(durations, np.zeros((3, 3)))
        return self.layer(self.pool(graphs).float()) + self.align(durations).sum() + self.pairs(graphs).sum()


def train(loader):
    model = Net().cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for graphs, durations in loader:
        loss = model(graphs, durations).sum()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
