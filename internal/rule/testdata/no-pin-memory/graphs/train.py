import dgl
import torch
from torch import nn
from torch.utils.data import DataLoader


def collate(samples):
    graphs, labels = map(list, zip(*samples))
    return dgl.batch(graphs), torch.tensor(labels)


def train(data, model):
    model.cuda()
    optimizer = torch.optim.Adam(model.parameters())
    loader = DataLoader(data, batch_size=32, collate_fn=collate)  # which cannot pin a graph
    for graph, labels in loader:
        loss = nn.functional.cross_entropy(model(graph.to("cuda")), labels.to("cuda"))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
