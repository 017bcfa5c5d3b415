# The mapping serves another call too, which does not take what a loader takes, so nothing is added to it.
import torch
import yaml
from torch.utils.data import BatchSampler, DataLoader

with open("config.yaml") as f:
    cfg = yaml.safe_load(f)
model = torch.nn.Linear(4, 4).cuda()
sampler = BatchSampler([0, 1], drop_last=True, **cfg["loader"])
train_loader = DataLoader([], num_workers=4, **cfg["loader"])  # want SAT203 "pageable"
for x in train_loader:
    model(x).sum().backward()
