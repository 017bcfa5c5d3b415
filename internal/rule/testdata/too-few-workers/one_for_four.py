import cv2
from torch.utils.data import DataLoader, Dataset


class Photos(Dataset):
    def __init__(self, files):
        self.files = files

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        return cv2.imread(self.files[i])


def train(files, model, optimizer):
    model.cuda()
    for _ in range(10):
        for x in DataLoader(Photos(files), batch_size=4, num_workers=1, shuffle=True):  # want SAT210 "num_workers=1 for the 4"
            loss = model(x.cuda()).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
