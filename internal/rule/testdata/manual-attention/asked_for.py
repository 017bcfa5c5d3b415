"""What becomes of the weights only where a caller asks for it: an arm of a switch, of a parameter that nobody gives."""
import torch
from torch import nn
from torch.nn import functional as F

EXTRA_COLUMN = False


class Reshaped(nn.Module):
    def forward(self, q, k, v, head_mask=None, output_weights=False):
        weights = torch.bmm(q, k.transpose(1, 2))
        weights = F.softmax(weights, dim=-1)  # want SAT409 "stores every weight"
        if head_mask is not None:
            weights = head_mask.view(1, -1, 1, 1) * weights.view(4, 8, 16, 16)
            weights = weights.view(32, 16, 16)
        if output_weights:
            shown = weights.view(4, 8, 16, 16)
            weights = shown.view(32, 16, 16)
        else:
            shown = None
        kept = F.dropout(weights, p=0.1, training=self.training)
        return torch.bmm(kept, v), shown


class Switched(nn.Module):
    def forward(self, q, k, v, scale=None):
        weights = q @ k.transpose(-2, -1)
        if EXTRA_COLUMN:
            weights = torch.cat([weights, torch.zeros_like(weights[..., :1])], dim=-1)
        if scale is not None:
            weights = torch.cat([weights[..., :4] * scale, weights[..., 4:]], dim=-1)
        weights = weights.softmax(dim=-1)  # want SAT409 "stores every weight"
        if EXTRA_COLUMN:
            weights = weights[..., :-1]
        return weights @ v


class Given(nn.Module):
    """The step gives the bias, which the fused kernel does not know in this form."""

    def forward(self, q, k, v, bias=None):
        weights = q @ k.transpose(-2, -1)
        if bias is not None:
            weights = torch.cat([weights[..., :4] * bias, weights[..., 4:]], dim=-1)
        weights = weights.softmax(dim=-1)
        return weights @ v


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.reshaped, self.switched, self.given = Reshaped(), Switched(), Given()

    def forward(self, x, mask):
        x, _ = self.reshaped(x, x, x, head_mask=mask)
        x = self.switched(x, x, x)
        return self.given(x, x, x, bias=mask)


def train(loader, optimizer):
    net = Net().cuda()
    for x, mask in loader:
        loss = net(x.cuda(), mask.cuda()).sum()
        loss.backward()
        optimizer.step()
