import torch
from torch_geometric.loader import DataLoader


def train(model, loader, optimizer):
    for batch in loader:
        batch = batch.to("cuda", non_blocking=True)
        logits = model(batch.x, batch.edge_index)
        loss = torch.nn.functional.cross_entropy(logits[batch.train_mask], batch.y[batch.train_mask])  # want SAT306 "depends on GPU values"
        spread = logits[batch.root_index].var()
        optimizer.zero_grad()
        (loss + spread).backward()
        optimizer.step()


model = Net().cuda()
train(model, DataLoader(graphs, batch_size=32, num_workers=4), torch.optim.Adam(model.parameters(), lr=1e-3))
