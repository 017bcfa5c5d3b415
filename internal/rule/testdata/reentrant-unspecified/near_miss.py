import torch
from torch.utils.checkpoint import checkpoint


class Encoder(torch.nn.Module):
    def forward(self, x, options):
        x = checkpoint(self.first, x, use_reentrant=False)
        x = checkpoint(self.second, x, use_reentrant=True)
        return checkpoint(self.third, x, **options)


def save(checkpoint):
    return checkpoint("model.pt")
