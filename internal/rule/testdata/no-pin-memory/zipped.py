import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
from tqdm import tqdm


class Clips(Dataset):
    def __init__(self, files):
        self.files = files

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        return torch.load(self.files[i])


def cycle(batches):
    while True:
        for batch in batches:
            yield batch


def endless(files):
    loader = DataLoader(Clips(files), batch_size=32, num_workers=4)  # want SAT203 "pageable memory"
    batches = iter(loader)
    while True:
        try:
            yield next(batches)
        except StopIteration:
            batches = iter(loader)
            yield next(batches)


def looks(files):
    loader = DataLoader(Clips(files), batch_size=32, num_workers=4)
    for batch in zip(range(3), loader):
        print(batch)


def run(files, more):
    model = nn.Conv2d(3, 8, 3).cuda()
    optimizer = torch.optim.Adam(model.parameters())
    train = DataLoader(Clips(files), batch_size=32, num_workers=4)  # want SAT203 "pageable memory"
    others = iter(endless(more))
    for step, x in zip(tqdm(range(1000)), cycle(train)):
        y = next(others)
        loss = model(x.cuda()).mean() - model(y.cuda()).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


if __name__ == "__main__":
    looks(["a.pt"])
    run(["a.pt"], ["b.pt"])
