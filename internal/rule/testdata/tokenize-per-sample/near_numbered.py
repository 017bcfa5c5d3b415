import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Parts(Dataset):
    """Numbers the nodes of each part of a graph. They are not words."""

    def __init__(self, graph, nodes):
        self.graph, self.nodes = graph, nodes
        self.places = {n: i for i, n in enumerate(np.unique(nodes))}

    def __len__(self):
        return len(self.nodes)

    def __getitem__(self, i):
        own = np.unique(self.graph.indices[self.graph.indptr[i] : self.graph.indptr[i + 1]])
        numbers = {n: k for k, n in enumerate(own)}
        edges = []
        for node in own:
            for other in self.graph.indices[self.graph.indptr[node] : self.graph.indptr[node + 1]]:
                if other in numbers:
                    edges.append(numbers[other])
        far = [self.places[n] for n in own]
        return torch.tensor(edges), torch.tensor(far)


def train(model, graph, nodes, optimizer):
    model.to("cuda")
    for edges, far in DataLoader(Parts(graph, nodes), batch_size=None, num_workers=4):
        loss = model(edges.cuda(), far.cuda()).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
