import torch
from torch.utils.data import DataLoader, Dataset


class Pairs(Dataset):
    def __init__(self, files):
        self.files = files

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        return torch.load(self.files[i])


class Batches:
    def __init__(self, files):
        self.data = Pairs(files)
        self.inner = DataLoader(self.data, batch_size=16, shuffle=True, num_workers=4)  # want SAT203 "pageable"

    def __iter__(self):
        for i, batch in enumerate(self.inner):
            if i > 1000:
                break
            yield batch


def create(files):
    batches = Batches(files)
    return batches


def train(files, model, optimizer):
    batches = create(files)
    for epoch in range(100):
        for image in batches:
            loss = model(image.cuda()).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
