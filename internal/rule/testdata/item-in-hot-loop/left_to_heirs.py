import torch
from torch.utils.data import DataLoader


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4096, 4096)

    def forward(self, x):
        y = self.layer(x)
        return y / y.abs().max().item()  # want SAT301 "waits for the GPU"


class Other(torch.nn.Module):
    def forward(self, x):
        return x / x.abs().max().item()


class Experiment:
    """Nothing here says what the model is, nor how the loss is computed."""

    def __init__(self, data):
        self.loader = DataLoader(data, batch_size=64, pin_memory=True)
        self.build()

    def run(self):
        for x, y in self.loader:
            loss = self.loss_of(self.model(x.cuda(non_blocking=True)), y.cuda(non_blocking=True))
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()


class Regression(Experiment):
    def build(self):
        self.model = Net().cuda()
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)

    def loss_of(self, given, wanted):
        error = given - wanted
        self.worst = error.abs().max().item()  # want SAT301 "waits for the GPU"
        return error.square().mean()


Regression(torch.load("data.pt")).run()
