import torch
import torchaudio
from torch.utils.data import Dataset


class Clips(Dataset):
    def __getitem__(self, i):
        audio, rate = torchaudio.load(self.files[i])
        mel = self.mel(audio)
        x = torch.tensor(mel.numpy())  # want SAT117 "mel is converted to NumPy and back"
        y = torch.FloatTensor(audio[0].numpy())  # want SAT117 "is converted to NumPy and back"
        return x, y


def train(model, loader, optimizer, device):
    model.to(device)
    for x in loader:
        out = model(x.to(device))
        loss = out.mean()
        target = torch.from_numpy(out.detach().cpu().numpy()).to(device)  # want SAT117 "is converted to NumPy and back"
        loss = loss + (out - target).abs().mean()
        loss.backward()
        optimizer.step()


train(torch.nn.Linear(2, 2), [], None, torch.device("cuda"))
