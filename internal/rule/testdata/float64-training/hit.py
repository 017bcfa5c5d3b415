import torch
from torch import nn

torch.set_default_dtype(torch.double)  # want SAT423 "float64"


def main(loader, kind="torch.cuda.DoubleTensor"):
    torch.set_default_tensor_type(kind)  # want SAT423 "float64"
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1)).cuda()
    model.double()  # want SAT423 "float64"
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        loss = (model(x.cuda().double()) - y.cuda()).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def again(loader):
    model = nn.Linear(64, 1)
    model.to("cuda", torch.float64)  # want SAT423 "float64"
    model.to(device="cuda", dtype=torch.float64)  # want SAT423 "float64"
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        loss = (model(x.cuda().double()) - y.cuda()).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
