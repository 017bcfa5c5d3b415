from piper import PiperVoice
from torch.utils.data import DataLoader, Dataset
from voices import said, say


class Words(Dataset):
    def __init__(self, words, voice):
        self.words, self.voice = words, voice

    def __len__(self):
        return len(self.words)

    def __getitem__(self, index):
        return say(self.words[index], self.voice)


class Kept(Dataset):
    def __init__(self, words, voice):
        self.words, self.voice = words, PiperVoice.load(voice)

    def __len__(self):
        return len(self.words)

    def __getitem__(self, index):
        return said(self.words[index], self.voice)


def loaders(words, voice):
    return DataLoader(Words(words, voice), batch_size=8, num_workers=4), DataLoader(Kept(words, voice), batch_size=8, num_workers=4)
