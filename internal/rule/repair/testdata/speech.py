"""A small speech encoder with lengths, an average of its weights and gradients that are clipped by hand."""
# repairs: SAT301 SAT315 SAT317 SAT319 SAT320 SAT409
import copy
import math

import torch
import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads, self.dropout = heads, nn.Dropout(0.0)
        self.q, self.k, self.v = [nn.Linear(dim, dim) for _ in range(3)]

    def forward(self, x, padded):
        b, t, d = x.shape
        q = self.q(x).view(b, t, self.heads, -1).transpose(1, 2)
        k = self.k(x).view(b, t, self.heads, -1).transpose(1, 2)
        v = self.v(x).view(b, t, self.heads, -1).transpose(1, 2)
        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(d // self.heads)
        scores = scores.masked_fill(padded[:, None, None, :], -1e9)
        attn = self.dropout(torch.softmax(scores, dim=-1))
        return x + torch.matmul(attn, v).transpose(1, 2).reshape(b, t, d)


class Pixels(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.qkv, self.heads = nn.Conv1d(dim, 3 * dim, 1), 4

    def forward(self, x):
        b, c, n = x.shape
        qkv = self.qkv(x).view(b, 3, self.heads, c // self.heads, n)
        q, k, v = qkv[:, 0], qkv[:, 1], qkv[:, 2]
        attn = torch.einsum("bhci,bhcj->bhij", q, k) / math.sqrt(c // self.heads)
        attn = torch.softmax(attn, dim=-1)
        return x + torch.einsum("bhij,bhcj->bhci", attn, v).contiguous().view(b, c, n)


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.into, self.attention, self.pixels = nn.Linear(8, 32), Attention(32, 4), Pixels(32)
        self.norm, self.head = nn.BatchNorm1d(32), nn.Linear(32, 1)

    def forward(self, x, lengths):
        x = self.into(x)
        b, t, _ = x.shape
        lengths = (lengths + 1) // 2
        padded = torch.zeros(b, t, dtype=torch.bool, device=x.device)
        for i in range(b):
            padded[i, lengths[i]:] = True
        seen = torch.zeros(b, t, device=x.device)
        for i, n in enumerate(lengths):
            seen[i, :n] = 1.0
        x = self.norm(self.pixels(self.attention(x, padded).transpose(1, 2))).transpose(1, 2)
        return (self.head(x).squeeze(-1) * seen).sum(1)


class Average:
    def __init__(self, model):
        self.shadow = {k: v.detach().clone() for k, v in model.state_dict().items()}
        self.slow, self.fast = copy.deepcopy(model), copy.deepcopy(model)

    @torch.no_grad()
    def update(self, model):
        for name, value in model.state_dict().items():
            self.shadow[name] = 0.9 * self.shadow[name] + (1 - 0.9) * value

    @torch.no_grad()
    def update_parameters(self, model):
        for a, w in zip(self.slow.parameters(), model.parameters()):
            a.data.mul_(0.9).add_(w.data, alpha=1 - 0.9)

    @torch.no_grad()
    def update_state(self, model):
        ours, theirs = model.state_dict(), self.fast.state_dict()
        for key in ours.keys():
            theirs[key].copy_(theirs[key] * 0.9 + ours[key] * (1 - 0.9))


def clip(model, max_norm):
    total = 0.0
    for p in model.parameters():
        if p.grad is not None:
            total += p.grad.data.norm(2).item() ** 2
    total = total ** 0.5
    scale = max_norm / (total + 1e-6)
    if scale < 1:
        for p in model.parameters():
            if p.grad is not None:
                p.grad.data.mul_(scale)
    return total


def main():
    torch.manual_seed(0)
    x = torch.randn(6, 4, 10, 8)
    lengths = torch.randint(4, 20, (6, 4))
    model = Encoder().to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
    average = Average(model)
    history, step = [], 0
    while step < 12:
        for features, spoken in zip(x, lengths):
            loss = model(features.to(device), spoken.to(device)).square().mean()
            optimizer.zero_grad()
            loss.backward()
            clip(model, 0.5)
            norm = nn.utils.clip_grad_norm_(model.parameters(), 0.4)
            optimizer.step()
            average.update(model)
            average.update_parameters(model)
            average.update_state(model)
            step += 1
            history.append({"step": step, "loss": loss.item(), "norm": norm.item()})
            if step % 5 == 0:
                recent = [row["loss"] for row in history[-5:]]
                print(f"step {step} loss {sum(recent) / len(recent):.4f} last {history[-1]['norm']:.3f}")
    print("kept", type(history[0]["norm"]).__name__, round(sum(row["loss"] for row in history), 3))
    print("average", round(sum(v.double().sum().item() for v in average.shadow.values()), 3))
    for other in (average.slow, average.fast):
        print("state", round(sum(v.double().sum().item() for v in other.state_dict().values()), 3))


if __name__ == "__main__":
    main()
