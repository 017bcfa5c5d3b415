import cv2
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


def window(image, box, size):
    if box.scale > 2:
        image = cv2.resize(image, (int(image.shape[1] / box.scale), int(image.shape[0] / box.scale)))
    part = np.zeros((box.height, box.width, 3))
    part[box.top:box.bottom, box.left:box.right] = image[box.y:box.y + box.height, box.x:box.x + box.width]
    return cv2.resize(part, (size, size))


class People(Dataset):
    def __init__(self, files, boxes):
        self.files, self.boxes = files, boxes

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        return window(cv2.imread(self.files[i]), self.boxes[i], 256)


def train(files, boxes, model, optimizer):
    loader = DataLoader(People(files, boxes), batch_size=8, shuffle=True, num_workers=4)
    for _ in range(100):
        for image in loader:
            loss = model(image.cuda()).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
