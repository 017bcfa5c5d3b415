import cv2
import torch
from torch.utils.data import DataLoader, Dataset


class Films(Dataset):
    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        film, frames = cv2.VideoCapture(self.files[i]), []
        while True:
            more, frame = film.read()
            if not more:
                break
            frames.append(frame)
        return torch.tensor(frames)


def train(model, optimizer):
    model.cuda()
    few = DataLoader(Films(), batch_size=16, num_workers=4, shuffle=True)  # want SAT210 "costly samples of each batch"
    for x in few:
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()
    for x in DataLoader(Films(), batch_size=4, num_workers=4, shuffle=True):
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()
