import io

import av
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset
from torchvision.datasets.video_utils import VideoClips


class Clips(Dataset):
    def __init__(self, files, known=None):
        if known is None:
            clips = VideoClips(files, 16, num_workers=8)
        else:
            clips = VideoClips(files, 16, _precomputed_metadata=known)
        self.clips = clips

    def __len__(self):
        return self.clips.num_clips()

    def __getitem__(self, i):
        video, _, _, i = self.clips.get_clip(i)  # want SAT135 "decodes a film"
        return video.float() / 255


def decoded(data):
    box = av.open(io.BytesIO(data))  # want SAT135 "decodes a film or a recording"
    return np.concatenate([frame.to_ndarray() for frame in box.decode(audio=0)], axis=1)


class Sounds(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return torch.from_numpy(decoded(self.rows[i]))


class Held(Dataset):
    def __init__(self, rows):
        self.rows = [decoded(r) for r in rows]  # once

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return torch.from_numpy(self.rows[i])


def train(model, files, rows, optimizer):
    model.cuda()
    for data in (Clips(files), Sounds(rows), Held(rows)):
        for x in DataLoader(data, batch_size=8, num_workers=8, shuffle=True, pin_memory=True):
            loss = model(x.cuda(non_blocking=True)).mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
