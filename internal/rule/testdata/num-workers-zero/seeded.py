import torch
from torch.utils.data import DataLoader, Dataset


class Clips(Dataset):
    def __init__(self, clips):
        self.clips = clips

    def __len__(self):
        return len(self.clips)

    def __getitem__(self, i):
        return torch.load(self.clips[i])


def main(clips):
    torch.manual_seed(0)
    model = torch.nn.Linear(4, 4).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(Clips(clips), batch_size=8, shuffle=True)  # want SAT201 "in the training process"
    for epoch in range(3):
        for x in loader:
            model(x.cuda()).mean().backward()
            optimizer.step()


def own_order(clips):
    torch.manual_seed(0)
    model = torch.nn.Linear(4, 4).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    sampler = torch.utils.data.RandomSampler(clips, generator=torch.Generator().manual_seed(1))
    loader = DataLoader(Clips(clips), batch_size=8, sampler=sampler)  # want SAT201 "in the training process"
    for epoch in range(3):
        for x in loader:
            model(x.cuda()).mean().backward()
            optimizer.step()
