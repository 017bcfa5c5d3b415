import torch
from torch.utils.data import DataLoader

from preprocess import Clips

model = torch.nn.Linear(80, 10).cuda()
optimizer = torch.optim.AdamW(model.parameters())
for batch in DataLoader(Clips(["one", "two"]), batch_size=2):
    optimizer.zero_grad()
    model(batch.cuda()).mean().backward()
    optimizer.step()
