"""Frozen models on samples that never change: of other libraries, by other methods, in a trainer, taken with next()."""

import timm
import torch
import torchvision
from torch import nn
from torch.utils.data import DataLoader, Dataset
from transformers import CLIPModel, Trainer


class Frames(Dataset):
    def __init__(self, files):
        self.files = files

    def __getitem__(self, i):
        return torch.load(self.files[i]), i % 10

    def __len__(self):
        return len(self.files)


def endless(loader):
    while True:
        for batch in loader:
            yield batch


def probe(files):
    loader = DataLoader(Frames(files), 32, shuffle=True, num_workers=4, pin_memory=True, persistent_workers=True)
    backbone = torchvision.models.resnet50(weights="DEFAULT").cuda().eval()
    head = nn.Linear(2048, 10).cuda()
    optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
    for epoch in range(30):
        for x, y in loader:
            x, y = x.cuda(non_blocking=True), y.cuda(non_blocking=True)
            with torch.inference_mode():
                z = backbone(x)  # want SAT318 "a frozen model computes the same for each sample in every epoch: backbone"
            loss = nn.functional.cross_entropy(head(z.clone()), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def by_method(files):
    taken = endless(DataLoader(Frames(files), 32, shuffle=True, num_workers=4, pin_memory=True))
    tower = timm.create_model("vit_base_patch16_224", pretrained=True).cuda().requires_grad_(False)
    head = nn.Linear(768, 10).cuda()
    optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
    for step in range(100_000):
        x, y = next(taken)
        z = tower.forward_features(x.cuda(non_blocking=True))  # want SAT318 "tower.forward_features"
        loss = nn.functional.cross_entropy(head(z[:, 0]), y.cuda(non_blocking=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


class Matching(Trainer):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.clip = CLIPModel.from_pretrained("openai/clip-vit-base-patch32").cuda()

    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        with torch.no_grad():
            goal = self.clip.get_image_features(inputs["pixels"])  # want SAT318 "self.clip.get_image_features"
        return nn.functional.mse_loss(model(inputs["ids"]), goal)
