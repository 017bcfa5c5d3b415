import segmentation_models_pytorch as smp
import torch
from torch_geometric.nn import GCNConv, MessagePassing


class Conv(MessagePassing):
    def __init__(self):
        super().__init__(aggr="add")
        self.lin = torch.nn.Linear(64, 64)

    def forward(self, x, edge_index):
        return self.propagate(edge_index, x=self.lin(x))


def validate(net, loader, criterion):
    net.eval()
    total = 0.0
    for x, y in loader:
        total += criterion(net(x.cuda()), y.cuda()).item()  # want SAT512 "evaluation builds a graph"
    return total


def test(conv, graphs):
    conv.eval()
    hits = 0
    for g in graphs:
        hits += (conv(g.x, g.edge_index).argmax(-1) == g.y).sum()  # want SAT512 "evaluation builds a graph"
    return hits


def main(loader, val, graphs, criterion):
    net = smp.Unet("resnet34", classes=7).cuda()
    first, second = GCNConv(64, 64).cuda(), Conv().cuda()
    optimizer = torch.optim.AdamW([*net.parameters(), *first.parameters(), *second.parameters()])
    for epoch in range(10):
        for x, y in loader:
            loss = criterion(net(x.cuda()), y.cuda())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        validate(net, val, criterion)
        test(first, graphs)
        test(second, graphs)
