import numpy as np
import torch
from pycocotools import mask
from pycocotools.coco import COCO
from torch.utils.data import DataLoader, Dataset


class Segments(Dataset):
    def __init__(self, file):
        self.coco = COCO(file)
        self.ids = list(self.coco.imgs)
        self.decoder = mask

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, i):
        out = np.zeros((64, 64), dtype=np.uint8)
        for instance in self.coco.loadAnns(self.coco.getAnnIds(self.ids[i])):
            decoder = self.decoder
            out += decoder.decode(decoder.frPyObjects(instance["segmentation"], 64, 64))  # want SAT104 "computes the same"
            out += self.coco.annToMask(instance)
        return out


def train(model, optimizer):
    model.cuda()
    for x in DataLoader(Segments("a.json"), batch_size=8, num_workers=8):
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
