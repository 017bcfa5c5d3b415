from torch import nn
from torch.nn.modules.activation import MultiheadAttention


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = MultiheadAttention(256, 4)

    def forward(self, x):
        return x + self.attention(x, x, x)[0]  # want SAT417 "nothing reads"


def train(loader, optimizer):
    model = Block().cuda()
    for x in loader:
        model(x.cuda()).mean().backward()
        optimizer.step()
