import torch
from torch import nn


class Translator(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(1000, 64)
        self.layers = nn.Linear(64, 1000)

    def decode(self, memory, ids):
        return self.layers(self.embed(ids) + memory)

    def forward(self, memory, ids):
        return self.decode(memory, ids)


def greedy(model, memory, longest):
    ids = torch.zeros(1, 1, dtype=torch.long, device="cuda")
    while ids.size(1) < longest:
        out = model.decode(memory, ids)
        best = out[:, -1].argmax(-1)
        ids = torch.cat([ids, best[None]], dim=1)
    return ids


def validate(model, texts):
    model.eval()
    with torch.no_grad():
        for text in texts:
            greedy(model, text, 100)


def train(loader, texts, epochs):
    model = Translator().cuda()
    optimizer = torch.optim.Adam(model.parameters(), fused=True)
    for epoch in range(epochs):
        for memory, ids in loader:
            loss = model(memory, ids).mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        validate(model, texts)  # want SAT706 "generate output one step at a time: validate"


class Diffusion:
    def __init__(self, steps):
        self.steps = steps

    def sample(self, net, n):
        with torch.no_grad():
            x = torch.randn(n, 3, 64, 64, device="cuda")
            for t in reversed(range(self.steps)):
                noise = net(x, t)
                x = x - 0.1 * noise
        return x


def train_diffusion(net, loader, optimizer):
    diffusion = Diffusion(1000)
    net.cuda()
    for step, x in enumerate(loader):
        loss = net(x, step).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if step % 500 == 0:
            diffusion.sample(net, 64)  # want SAT706 "diffusion.sample"
