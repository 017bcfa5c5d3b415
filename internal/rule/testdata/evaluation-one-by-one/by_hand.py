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
