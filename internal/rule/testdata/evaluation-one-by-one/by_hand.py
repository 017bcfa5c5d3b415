import torch
from torch import nn
from torch.utils.data import DataLoader


class Net(nn.Module):
    def forward(self, x):
        return x


def evaluate(data, model):
    model.eval()
    with torch.no_grad():
        for i in range(len(data)):
            x = data[i]
            model(x.unsqueeze(dim=0).cuda())


def train(data, held_out, pictures, optimizer):
    model = Net().cuda()
    for epoch in range(10):
        for step, x in enumerate(DataLoader(data, batch_size=64)):
            model(x.cuda()).sum().backward()
            optimizer.step()
            if step % 1000 == 0:
                with torch.no_grad():
                    for picture in pictures:  # want SAT709 "one sample at a time"
                        model(torch.from_numpy(picture[None]).cuda())
        evaluate(held_out, model)  # want SAT709 "one sample at a time"


class Ranker(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, x):
        return self.layer(x)


def rank(users, model):
    model.eval()
    with torch.no_grad():
        for user in users:
            model(torch.tensor([user]).cuda())


def rank_all(users, model):
    model.eval()
    with torch.no_grad():
        for chunk in users:
            model(torch.tensor([u for u in chunk]).cuda())


def train_ranker(data, users, optimizer):
    model = Ranker().cuda()
    for epoch in range(10):
        for x in DataLoader(data, batch_size=64):
            model(x.cuda()).sum().backward()
            optimizer.step()
        rank(users, model)  # want SAT709 "one sample at a time"
        rank_all(users, model)
