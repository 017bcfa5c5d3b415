from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import Dataset


class Speech(Dataset):
    def __getitem__(self, i):
        return self.clips[i]


def collate(batch):
    return pad_sequence(batch, batch_first=True)
