"""A mask that is set to a tensor, whose values have to be counted; a number only fills."""

import torch


class Noise(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.token = torch.nn.Parameter(torch.zeros(16))
        self.out = torch.nn.Linear(16, 1)

    def forward(self, frames):
        hidden = frames.abs().mean(-1) < 0.1
        frames[hidden] = self.token.to(frames.dtype)  # want SAT306 "frames.hidden."
        return self.out(frames)


class Filled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.out = torch.nn.Linear(16, 1)

    def forward(self, frames):
        hidden = frames.abs().mean(-1) < 0.1
        frames[hidden] = 0.5
        return self.out(frames)


def run(loader):
    noise, filled = Noise().cuda(), Filled().cuda()
    optimizer = torch.optim.SGD(list(noise.parameters()) + list(filled.parameters()), lr=0.1)
    for frames in loader:
        frames = frames.cuda()
        loss = noise(frames.clone()).mean() + filled(frames).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


run(torch.utils.data.DataLoader(torch.rand(64, 10, 16), batch_size=8))
