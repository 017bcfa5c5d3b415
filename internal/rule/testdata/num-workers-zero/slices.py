import torch
from torch.utils.data import DataLoader, Dataset


class Windows(Dataset):
    def __init__(self, data, length):
        self.data, self.length = data, length

    def __getitem__(self, index):
        start = torch.randint(0, self.data.size(0) - self.length, (1,))
        return self.data[start : start + self.length].long()

    def __len__(self):
        return len(self.data) // self.length


def train(model, data):
    model.cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x in DataLoader(Windows(data, 64), batch_size=8):
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()
