import torch


class Widen(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.expand = torch.nn.Linear(width, 2 * width) if width > 8 else torch.nn.Identity()
        self.repeat = torch.nn.Linear(width, width)

    def forward(self, x, count):
        y = self.expand(x)  # a layer of that name, and no sizes
        return y, self.repeat(x).expand(x.sum().long(), -1)  # want SAT301 "waits for the GPU"


def train(loader):
    model = Widen(16).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x in loader:
        y, z = model(x.cuda(), 3)
        optimizer.zero_grad()
        (y.mean() + z.mean()).backward()
        optimizer.step()


train(torch.utils.data.DataLoader(data, batch_size=8))
