import torchaudio
from torch.utils.data import DataLoader, Dataset


class Clips(Dataset):
    def __init__(self, split):
        self.files = [split + ".wav"]

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        return torchaudio.load(self.files[i])[0]


if __name__ == "__main__":
    for clip in DataLoader(Clips("train"), batch_size=3):
        print(clip.shape)
