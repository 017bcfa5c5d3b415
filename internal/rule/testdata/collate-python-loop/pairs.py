import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class Points(Dataset):
    def __init__(self, files, cutoff):
        self.files, self.cutoff = files, cutoff

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        m = np.load(self.files[i])
        pos, z = m["pos"].astype(np.float32), m["z"]
        edges = []
        for a in range(len(z)):  # want SAT125 "goes through all pairs of pos"
            for b in range(len(z)):
                if a != b and np.linalg.norm(pos[a] - pos[b]) < self.cutoff:
                    edges.append((a, b))
        return torch.from_numpy(pos), torch.tensor(edges)


class Waves(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        wav = self.rows[i]
        out = torch.zeros(len(wav))
        for k in range(1, len(wav)):  # want SAT125 "one element at a time"
            out[k] = wav[k] - 0.97 * wav[k - 1]
        return out


class Words(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        words = self.rows[i].split()
        pairs = []
        for a in range(len(words)):
            for b in range(a + 1, len(words)):
                pairs.append(words[a] + words[b])
        ids = np.zeros(len(words))
        for k in range(len(words)):
            ids[k] = hash(words[k])
        return pairs, ids


def train(files, rows):
    model = nn.Linear(8, 8).cuda()
    optimizer = torch.optim.Adam(model.parameters())
    for data in (Points(files, 5.0), Waves(rows), Words(rows)):
        for x in DataLoader(data, batch_size=64, num_workers=8):
            loss = model(x[0].cuda()).mean()
            loss.backward()
            optimizer.step()
