import soundfile
import torch
from fitting import Fitter
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Clips(Dataset):
    def __init__(self, names):
        self.names = names

    def __len__(self):
        return len(self.names)

    def __getitem__(self, i):
        return torch.from_numpy(soundfile.read(self.names[i])[0]).float()


def load(names):
    first = DataLoader(Clips(names), 32, shuffle=True, num_workers=8, pin_memory=True)  # want SAT202 "restarted in every epoch"
    second = DataLoader(Clips(names), 32, num_workers=8, pin_memory=True)
    return (first, second), len(names)


def main(names):
    both, _ = load(names)
    first, second = both
    model = nn.Sequential(nn.Linear(16000, 4096), nn.ReLU(), nn.Linear(4096, 1)).cuda()
    fitter = Fitter(model, first, torch.optim.AdamW(model.parameters(), fused=True), "cuda")
    for epoch in range(100):
        fitter.run()
