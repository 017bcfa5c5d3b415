import pandas as pd
from torch.utils.data import Dataset


class Table(Dataset):
    def __init__(self, path):
        self.frame = pd.read_csv(path)

    def __getitem__(self, index):
        row = self.frame.iloc[index]  # want SAT119 "pandas table is indexed"
        return row["text"], self.label(index)

    def label(self, index):
        return self.frame.loc[index, "label"]  # want SAT119 "for every sample"

    def __len__(self):
        return len(self.frame)
