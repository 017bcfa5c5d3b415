import torch
from torch_geometric.loader import DataLoader

model = torch.nn.Linear(8, 2).cuda()
optimizer = torch.optim.Adam(model.parameters(), fused=True)
train_loader, test_loader = DataLoader(range(100)), DataLoader(range(100))


def train():
    model.train()
    for data in train_loader:
        loss = model(data.x.cuda(non_blocking=True)).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


@torch.no_grad()
def test(loader):
    model.eval()
    right = 0
    for data in loader:
        right += (model(data.x.cuda(non_blocking=True)).argmax(1) == data.y.cuda(non_blocking=True)).sum()
    return right


for epoch in range(200):
    train()
    test(test_loader)
    test(train_loader)  # want SAT707 "once more in each epoch"
