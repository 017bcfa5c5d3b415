import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 64, 3)
        self.norm = torch.nn.BatchNorm2d(64)

    def forward(self, x, grid):
        torch.backends.cudnn.enabled = False  # no layer runs until it is on again
        x = self.norm(torch.nn.functional.grid_sample(x, grid))
        torch.backends.cudnn.enabled = True
        torch.backends.cudnn.enabled = False  # want SAT413 "cuDNN is off"
        x = self.conv(x)
        torch.backends.cudnn.enabled = True
        return x


def train(loader):
    torch.backends.cudnn.benchmark = True
    model = Net().cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, grid in loader:
        loss = model(x.cuda(), grid.cuda()).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


train(torch.utils.data.DataLoader(data, batch_size=8))
