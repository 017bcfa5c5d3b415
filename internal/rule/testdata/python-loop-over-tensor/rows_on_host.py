import torch
from torch import nn


class GuidedAttentionLoss(nn.Module):
    def __init__(self, sigma=0.4):
        super().__init__()
        self.sigma = sigma

    def masks(self, ilens, olens):
        made = torch.zeros((len(ilens), max(olens), max(ilens)))
        for idx, (ilen, olen) in enumerate(zip(ilens, olens)):  # want SAT319 "Python writes made one row at a time"
            made[idx, :olen, :ilen] = self.one(ilen, olen)
        return made

    def one(self, ilen, olen):
        x, y = torch.meshgrid(torch.arange(olen), torch.arange(ilen))
        return 1.0 - torch.exp(-((y / ilen - x / olen) ** 2) / (2 * self.sigma**2))

    def forward(self, attention, ilens, olens):
        return (self.masks(ilens, olens).to(attention.device) * attention).mean()


class Fourier(nn.Module):
    def __init__(self, index):
        super().__init__()
        self.index = index
        self.weights = nn.Parameter(torch.rand(8, 64, 64, len(index)))

    def forward(self, q):
        B, H, E, L = q.shape
        x = torch.fft.rfft(q, dim=-1)
        out = torch.zeros(B, H, E, L // 2 + 1, device=q.device, dtype=torch.cfloat)
        for wi, i in enumerate(self.index):  # want SAT319 "launches kernels in each iteration"
            out[:, :, :, wi] = torch.einsum("bhi,hio->bho", x[:, :, :, i], self.weights[:, :, :, wi])
        return torch.fft.irfft(out, n=L)


def targets(labels, size):
    conf = torch.zeros(len(labels), size).cuda()
    for b in range(len(labels)):  # want SAT319 "Python writes conf one row at a time"
        near = labels[b][:, 0] > 0.5
        conf[b][near] = 1
    return conf


def train(loader, index):
    net, guided = Fourier(index).cuda(), GuidedAttentionLoss()
    optimizer = torch.optim.Adam(net.parameters())
    for x, ilens, olens, labels in loader:
        attention = net(x.cuda(non_blocking=True)).softmax(-1)
        loss = guided(attention, ilens, olens) + (attention[:, 0, 0] - targets(labels, 64)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
