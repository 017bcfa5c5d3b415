import torch
from torch.utils.data import DataLoader, Dataset


class Clips(Dataset):
    def __getitem__(self, i):
        return torch.load(self.files[i])

    def __len__(self):
        return len(self.files)


def train(model, data, optimizer):
    loader = DataLoader(data, batch_size=16, shuffle=True)  # want SAT201 "in the training process"
    other = DataLoader(Clips(), 16, num_workers=0)  # want SAT201 "in the training process"
    position = DataLoader(data, 16, True, None, None, 0)  # want SAT201 "in the training process"
    for x in loader:
        loss = model(x.cuda()).sum()
        loss.backward()
        optimizer.step()
    return other, position
