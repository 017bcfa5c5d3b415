import nets  # noqa: F401
import torch
from zoo import KINDS, known


@known("none")
def nothing():
    return torch.nn.Identity()


def main(loader, name):
    model = KINDS[name]().cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x in loader:
        loss = model(x.cuda()).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
