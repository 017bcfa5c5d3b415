import numpy as np
import torch

model = torch.nn.Linear(8, 8).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def plain(b):
    return b.tolist() if isinstance(b, np.ndarray) else b


def numbers(b):
    return b.tolist()  # want SAT301 "waits for the GPU"


def train(loader):
    for x in loader:
        loss = model(x.cuda()).mean()
        plain(loss.detach()), numbers(loss.detach())
        enum = torch.nn.functional._Reduction.get_enum("mean")
        if enum == 1:
            loss = loss * 2
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


train(torch.utils.data.DataLoader(data, batch_size=8))
