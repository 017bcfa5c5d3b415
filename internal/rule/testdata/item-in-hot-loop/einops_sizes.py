import einops
import torch


class Sampler(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(8, 8, 3)

    def forward(self, states: list[torch.Tensor], latent: torch.Tensor):
        latent = einops.repeat(latent, "b c h w -> (n b) c h w", n=states[0].shape[0])  # a tensor, and not a size
        return self.conv(latent)


class Latent(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.sampler = Sampler()
        self.conv = torch.nn.Conv2d(8, 8, 3)

    def forward(self, x):
        return self.sampler([x, x], self.conv(x))


def train(loader):
    model = Latent().cuda()
    optimizer = torch.optim.Adam(model.parameters())
    for x in loader:
        loss = model(x.cuda()).mean()
        loss.backward()
        print(loss.item())  # want SAT301 "loss.item()"
        optimizer.step()
