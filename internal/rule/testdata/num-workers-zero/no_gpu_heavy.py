import librosa
import torch
from torch.utils.data import DataLoader, Dataset


class Clips(Dataset):
    def __init__(self, files):
        self.files = files

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        return torch.from_numpy(self.features(self.files[i]))

    def features(self, path):
        audio, rate = librosa.load(path, sr=16000)
        return librosa.feature.melspectrogram(y=audio, sr=rate)


def main(files):
    loader = DataLoader(Clips(files), batch_size=8, shuffle=True)  # want SAT201 "in the training process"
    model = torch.nn.Linear(80, 2)
    optimizer = torch.optim.AdamW(model.parameters())
    for epoch in range(10):
        for batch in loader:
            loss = model(batch).mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()


main(["a.wav"])
