import pandas as pd
from torch.utils.data import Dataset


class Table(Dataset):
    def __init__(self, path):
        frame = pd.read_csv(path)
        self.first = frame.iloc[0]
        self.texts = frame["text"].tolist()
        self.rows = frame

    def __getitem__(self, index):
        row = self.texts[index]
        return row, self.rows.iloc[0]

    def __len__(self):
        return len(self.texts)


def report(frame):
    for i in range(len(frame)):
        print(frame.iloc[i])


class Arrays(Dataset):
    def __getitem__(self, index):
        return self.table[self.order[index]], self.mask[self.other[index] == 1]
