"""Two workers whose samples are resampled: the training process only waits."""

import torch
from hand import clock, spent, tell_now_and_then, timed, train
from torch.utils.data import DataLoader, Dataset, default_collate


@timed("function")
def resample(clip):
    out = []
    for i in range(30_000):
        out.append((i * 441 + clip) % 251)
    return out[:8]


def load(index):
    total = 0
    for i in range(12_000):
        total += i
    return total + index


class Clips(Dataset):
    def __len__(self):
        return 100_000

    def __getitem__(self, index):
        began = clock()
        clip = torch.tensor(resample(load(index)), dtype=torch.float32)
        tell_now_and_then()
        spent["part"] += clock() - began
        return clip


@timed("part")
def collate(clips):
    return default_collate(clips)


train(DataLoader(Clips(), batch_size=4, num_workers=2, collate_fn=collate))
