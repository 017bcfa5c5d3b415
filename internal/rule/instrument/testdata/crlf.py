"""A loop over epochs, with a continue and accumulation."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = "cuda" if torch.cuda.is_available() else "cpu"
loader = DataLoader(TensorDataset(torch.randn(48, 4), torch.randn(48, 1)), batch_size=8)
model = nn.Linear(4, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
criterion = nn.MSELoss()

for epoch in range(3):
    for i, (x, y) in enumerate(loader):
        if i == 2:
            continue  # a batch that is known to be bad
        x, y = x.to(device), y.to(device)
        out = model(x)
        loss = criterion(out, y)
        loss.backward()
        if i % 2 == 1:
            optimizer.step()
            optimizer.zero_grad()
print("done", epoch)
