import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.backends.cudnn.benchmark = True  # want SAT414 "again for every new length"


class Speech(Dataset):
    def __init__(self, clips):
        self.clips = clips

    def __len__(self):
        return len(self.clips)

    def __getitem__(self, i):
        return self.clips[i]


class Collater:
    def __call__(self, batch):
        lengths = [b.shape[1] for b in batch]
        batch = [batch[i] for i in np.argsort(lengths)[::-1]]
        longest = max(lengths)
        mels = torch.zeros(len(batch), 80, longest)
        for i, mel in enumerate(batch):
            mels[i, :, : mel.size(1)] = mel
        return mels


def train(clips):
    model = nn.Sequential(nn.Conv1d(80, 80, 3), nn.Conv1d(80, 80, 3)).cuda()
    optimizer = torch.optim.Adam(model.parameters())
    for x in DataLoader(Speech(clips), batch_size=32, shuffle=True, num_workers=4, pin_memory=True, collate_fn=Collater()):
        model(x.cuda(non_blocking=True)).mean().backward()
        optimizer.step()
        optimizer.zero_grad()


train(torch.load("clips.pt"))
