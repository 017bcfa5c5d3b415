import torch
import torch.utils.checkpoint as ckpt
from torch.utils.checkpoint import checkpoint


class Encoder(torch.nn.Module):
    def forward(self, x, mask):
        for layer in self.layers:
            x = checkpoint(layer, x, mask)  # want SAT505 "reentrant"
        return ckpt.checkpoint(self.head, x)  # want SAT505 "reentrant"
