import torch
from torch.utils.data import DataLoader

model = torch.nn.Linear(4096, 4096).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x, y in DataLoader(torch.load("data.pt"), batch_size=64, pin_memory=True):
    loss = torch.nn.functional.mse_loss(model(x.cuda(non_blocking=True)), y.cuda(non_blocking=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    last = loss.item()  # want SAT301 "waits for the GPU"
