from torch import nn


class Rare(nn.Module):
    def __init__(self, threshold):
        super().__init__()
        self.threshold = threshold

    def forward(self, x):
        return x[x > self.threshold].mean()


class Usual(nn.Module):
    def __init__(self, threshold):
        super().__init__()
        self.threshold = threshold

    def forward(self, x):
        return x[x > self.threshold].mean()  # want SAT306 "depends on GPU values"


class Net(nn.Module):
    def __init__(self, rare=False):
        super().__init__()
        if rare:
            self.head = Rare(0.5)
        else:
            self.head = Usual(0.5)

    def forward(self, x):
        return self.head(x)
