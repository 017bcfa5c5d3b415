import torch
from torch import nn


class Embedder:
    def __init__(self, **kwargs):
        self.kwargs = kwargs
        self.create()

    def create(self):
        fns = [lambda x: x]
        bands = 2.0 ** torch.linspace(0.0, self.kwargs["top"], steps=self.kwargs["bands"])
        for freq in bands:
            for p_fn in self.kwargs["functions"]:
                fns.append(lambda x, p_fn=p_fn, freq=freq: p_fn(x * freq))
        self.fns = fns

    def embed(self, inputs):
        return torch.cat([fn(inputs) for fn in self.fns], -1)  # want SAT319 "a loop over self.fns launches kernels"


def get_embedder(bands):
    made = Embedder(top=bands - 1, bands=bands, functions=[torch.sin, torch.cos])
    return lambda x, made=made: made.embed(x)


class Embedding(nn.Module):
    def __init__(self, bands):
        super().__init__()
        self.functions = [torch.sin, torch.cos]
        self.freq_bands = 2 ** torch.linspace(0, bands - 1, bands)

    def forward(self, x):
        out = [x]
        for freq in self.freq_bands:  # want SAT319 "a loop over self.freq_bands launches kernels"
            for func in self.functions:
                out += [func(freq * x)]
        return torch.cat(out, -1)


class Periodic(nn.Module):
    def __init__(self, bands):
        super().__init__()
        self.scales = [2.0**i for i in range(bands)]

    def forward(self, x):
        waves = [torch.sin(x * s) for s in self.scales]  # want SAT319 "a loop over self.scales launches kernels"
        return torch.cat(waves, -1)


class AtOnce(nn.Module):
    def __init__(self, bands):
        super().__init__()
        self.register_buffer("bands", 2 ** torch.linspace(0, bands - 1, bands))

    def forward(self, x):
        return torch.sin(x[..., None] * self.bands).flatten(-2)


class TwoScales(nn.Module):
    def forward(self, x):
        return torch.cat([torch.sin(x * s) for s in range(2)], -1)


class Mixed(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = [nn.Linear(63, 63), nn.Linear(63, 63)]

    def forward(self, x):
        for part in self.parts:
            x = part(x)
        return x


class Field(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = get_embedder(10)
        self.other, self.periodic, self.once, self.two, self.mixed = Embedding(10), Periodic(10), AtOnce(10), TwoScales(), Mixed()
        self.out = nn.Linear(63, 4)

    def forward(self, x):
        h = self.embed(x) + self.other(x) + self.once(x)
        return self.out(self.mixed(h)) + self.periodic(x).mean() + self.two(x).mean()


def train(loader):
    net = Field().cuda()
    optimizer = torch.optim.Adam(net.parameters())
    for x, y in loader:
        loss = (net(x.cuda(non_blocking=True)) - y.cuda(non_blocking=True)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
