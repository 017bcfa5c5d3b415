import torch
from torch import nn
from torch_geometric.nn import MessagePassing


class Conv(MessagePassing):
    def __init__(self, width, kinds):
        super().__init__(aggr="add")
        self.layers = nn.ModuleList([nn.Linear(width, width) for _ in range(kinds)])
        self.kinds = kinds
        self.width = width

    def forward(self, x, edge_index, kind):
        return self.propagate(edge_index, x=x, kind=kind)

    def message(self, x_j, kind):
        out = torch.zeros(x_j.size(0), self.width).to(x_j.device)
        for k in range(self.kinds):
            mask = kind == k
            if mask.sum() == 0:  # want SAT305 "decided on the host"
                continue
            out[mask] = self.layers[k](x_j[mask])
        return out


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = Conv(64, 4)

    def forward(self, x, edges, kind):
        return self.conv(x, edges, kind)


net = Net().cuda()
optimizer = torch.optim.Adam(net.parameters(), fused=True)
for x, edges, kind in batches():
    loss = net(x.cuda(), edges.cuda(), kind.cuda()).mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
