import hashlib
import sys

import torch
from torch.utils.data import DataLoader
from torchvision import datasets

from data import Photos, augment

torch.manual_seed(0)
data = datasets.ImageFolder("photos", transform=augment) if "folder" in sys.argv else Photos("photos", augment)
model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(3 * 48 * 48, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
sums = hashlib.sha256()
for epoch in range(2):
    for images, labels in DataLoader(data, batch_size=4, shuffle=True):
        sums.update(images.numpy().tobytes())
        loss = torch.nn.functional.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
print(sums.hexdigest(), loss.item())
