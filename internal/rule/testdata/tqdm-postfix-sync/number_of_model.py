import torch
from torch import nn
from tqdm import tqdm


class VAE(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.args = args
        self.layer = nn.Linear(8, 8)

    def forward(self, x):
        return self.layer(x)


def fit(args, loader):
    model = VAE(args).to(args.device)
    model = nn.parallel.DistributedDataParallel(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    bar = tqdm(loader)
    for x in bar:
        loss = model(x.cuda(non_blocking=True)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        bar.set_description(f"beta: {model.module.args.beta:.3f}")
