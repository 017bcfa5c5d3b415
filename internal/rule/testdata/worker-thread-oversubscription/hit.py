import cv2
from torch.utils.data import DataLoader, Dataset


class Faces(Dataset):
    def __init__(self, files):
        self.files = files

    def __getitem__(self, i):
        image = cv2.imread(self.files[i])
        image = cv2.resize(image, (96, 96))  # want SAT209 "all CPU cores"
        return cv2.cvtColor(image, cv2.COLOR_BGR2RGB)

    def __len__(self):
        return len(self.files)


def train(model, files, optimizer):
    for x in DataLoader(Faces(files), num_workers=16):
        model(x).sum().backward()
        optimizer.step()
