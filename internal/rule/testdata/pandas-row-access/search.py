import pandas as pd
from torch.utils.data import Dataset


class Speech(Dataset):
    def __init__(self, path):
        self.frame = pd.read_csv(path)
        self.files = self.frame["file"].tolist()
        self.long = self.frame[self.frame["seconds"] > 3]

    def __getitem__(self, index):
        speaker = self.files[index].split("_")[0]
        same = self.frame[self.frame["speaker"] == speaker].sample(n=1)  # want SAT119 "the whole table is searched"
        return self.files[index], same

    def __len__(self):
        return len(self.files)
