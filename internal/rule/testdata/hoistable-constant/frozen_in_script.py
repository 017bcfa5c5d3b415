"""A frozen model in a program without functions."""

import timm
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset


class Pixels(Dataset):
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


loader = DataLoader(Pixels(*torch.load("train.pt")), batch_size=256, shuffle=True, num_workers=4)
trunk = timm.create_model("vit_base_patch16_224", pretrained=True, num_classes=0).to("cuda").eval()
trunk.requires_grad_(False)
tuned = timm.create_model("vit_base_patch16_224", pretrained=True, num_classes=0).to("cuda")
head = nn.Linear(768, 10).to("cuda")
optimizer = torch.optim.AdamW([*head.parameters(), *tuned.parameters()])
for epoch in range(20):
    for x, y in loader:
        x, y = x.to("cuda"), y.to("cuda")
        loss = F.cross_entropy(head(trunk(x) + tuned(x)), y)  # want SAT318 "a frozen model computes the same"
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
