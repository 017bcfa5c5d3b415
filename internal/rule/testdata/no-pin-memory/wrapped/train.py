import torch

from clips import Clips
from loaders import loader, pinned

model = torch.nn.Linear(8, 2).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
train_loader = loader(Clips(), batch_size=8, shuffle=True, num_workers=2)
other_train_loader = pinned(Clips(), batch_size=8, pin_memory=True)

for epoch in range(10):
    for batches in (train_loader, other_train_loader):
        for x, y in batches:
            loss = torch.nn.functional.cross_entropy(model(x.cuda()), y.cuda())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
