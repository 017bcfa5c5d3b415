import dgl
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(512, 512), nn.Linear(512, 512)

    def forward(self, graph, x):
        graph.ndata["h"] = self.first(x)
        graph.update_all(dgl.function.copy_u("h", "m"), dgl.function.sum("m", "h"))  # sums along edges, not products
        return self.second(graph.ndata["h"])


def train(loader):
    model = Net().cuda()
    optimizer = torch.optim.Adam(model.parameters())
    for graph, x in loader:
        loss = model(graph, x.cuda()).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
