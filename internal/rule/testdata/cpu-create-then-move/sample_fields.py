import torch


class Graph:
    def __init__(self, size):
        self.features = None
        self.edges = 0
        self.size = size
        self.placed = None


def load(lines):
    graphs = []
    for line in lines:
        graph = Graph(len(line))
        graph.features = torch.zeros(len(line), 8)
        graph.edges = torch.LongTensor(line).transpose(0, 1)
        graph.placed = torch.zeros(len(line), device="cuda")
        graphs.append(graph)
    return graphs


class Net(torch.nn.Module):
    def __init__(self, device):
        super().__init__()
        self.device = device
        self.layer = torch.nn.Linear(8, 8)

    def neighbours(self, batch):
        index = torch.cat([graph.edges for graph in batch], 1)
        ones = torch.ones(index.shape[1])
        if self.training:
            ones = torch.cat([ones, torch.ones(1)], 0)
        block = torch.sparse.FloatTensor(index, ones, torch.Size([9, 9]))
        return block.to(self.device)  # want SAT312 "is copied from the host"

    def forward(self, batch):
        x = torch.cat([graph.features for graph in batch], 0).to(self.device)  # want SAT312 "graph.features"
        there = torch.cat([graph.placed for graph in batch], 0).to(self.device)  # on the GPU already
        return self.layer(self.neighbours(batch) @ x) + there.sum()


def train(lines):
    model = Net("cuda").to("cuda")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    graphs = load(lines)
    for step in range(1000):
        loss = model(graphs[step : step + 8]).sum()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
