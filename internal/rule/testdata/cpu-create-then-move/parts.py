import torch
from torch.utils.data import DataLoader, Dataset


class Bodies(Dataset):
    def __init__(self, data):
        self.data = data
        self.edges = [[0, 1], [1, 0]]

    def __len__(self):
        return len(self.data)

    def __getitem__(self, i):
        return self.data[i]

    def get_edges(self, batch, nodes):
        edges = [torch.LongTensor(self.edges[0]), torch.LongTensor(self.edges[1])]
        if batch == 1:
            return edges
        rows, cols = [], []
        for i in range(batch):
            rows.append(edges[0] + nodes * i)
            cols.append(edges[1] + nodes * i)
        return [torch.cat(rows), torch.cat(cols)]


def pair(n):
    return torch.arange(n), torch.zeros(n)


def train(model, optimizer, data, device="cuda"):
    loader = DataLoader(Bodies(data), batch_size=8, num_workers=4, pin_memory=True)
    model.to(device)
    first, _ = pair(4)
    for x in loader:
        batch, nodes, _ = x.size()
        x = x.to(device, non_blocking=True)
        edges = loader.dataset.get_edges(batch, nodes)
        edges = [edges[0].to(device), edges[1].to(device)]  # want SAT312 "get_edges"
        rows, marks = pair(nodes)
        rows = rows.to(device)  # want SAT312 "pair"
        loss = model(x, edges, rows, x[0].cpu()).mean()
        loss.backward()
        optimizer.step()


def targets(predictions, boxes):
    gain = torch.ones(7, device=boxes.device)
    for i, p in enumerate(predictions):
        gain[2:6] = torch.tensor(p.shape)[[3, 2, 3, 2]]  # want SAT312 "copied into gain"
        gain[6] = 3
        gain[0] = p.mean()
    return boxes * gain


def detect(model, optimizer, loader, device="cuda"):
    model.to(device)
    for x, boxes in loader:
        x, boxes = x.to(device, non_blocking=True), boxes.to(device, non_blocking=True)
        loss = (model(x) - targets([model(x)], boxes)).mean()
        loss.backward()
        optimizer.step()
