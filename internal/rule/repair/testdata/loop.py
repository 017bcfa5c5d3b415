"""A small GPT on random tokens, with the usual mistakes."""
# repairs: only SAT201 SAT203 SAT301 SAT311 SAT312 SAT401 SAT404 SAT406 SAT409 SAT512
import math

import torch
import torch.nn as nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, Dataset, RandomSampler

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Tokens(Dataset):
    def __init__(self, count, width):
        self.tokens = torch.randint(0, 32, (count, width), generator=torch.Generator().manual_seed(1))

    def __len__(self):
        return len(self.tokens)

    def __getitem__(self, i):
        row = self.tokens[i].clone()
        return row[:-1], row[1:]


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.qkv = nn.Linear(width, 3 * width)
        self.drop = nn.Dropout(0.0)
        self.heads = heads
        self.register_buffer("seen", torch.tril(torch.ones(16, 16)).view(1, 1, 16, 16))

    def forward(self, x):
        B, T, C = x.size()
        q, k, v = self.qkv(x).view(B, T, 3, self.heads, C // self.heads).permute(2, 0, 3, 1, 4)
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        att = att.masked_fill(self.seen[:, :, :T, :T] == 0, float("-inf"))
        att = F.softmax(att, dim=-1)
        att = self.drop(att)
        y = att @ v
        return y.transpose(1, 2).reshape(B, T, C)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(32, 192)
        self.layers = nn.ModuleList(nn.Sequential(nn.LayerNorm(192), Attention(192, 2)) for _ in range(4))
        self.head = nn.Linear(192, 32)

    def forward(self, x):
        where = torch.zeros(x.size(1), 192).to(x.device)
        x = self.embed(x) + where
        for layer in self.layers:
            x = x + layer(x)
        return self.head(x)


def validate(model, loader):
    model.eval()
    total = 0.0
    for x, y in loader:
        total += F.cross_entropy(model(x.to(device)).flatten(0, 1), y.to(device).flatten()).item()
    return total / len(loader)


def main():
    torch.manual_seed(0)
    data = Tokens(64, 12)
    order = RandomSampler(data, generator=torch.Generator().manual_seed(2))
    train_loader = DataLoader(data, batch_size=8, sampler=order)
    val_loader = DataLoader(Tokens(16, 12), batch_size=8)
    model = Model().to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    losses = []
    log = []
    for epoch in range(2):
        model.train()
        total, hits = 0.0, 0
        for step, (x, y) in enumerate(train_loader):
            x, y = x.to(device), y.to(device)
            out = model(x)
            loss = F.cross_entropy(out.flatten(0, 1), y.flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
            hits += (out.argmax(-1) == y).sum().item()
            losses.append(loss.item())
            value = loss.item()
            log.append({"step": step, "loss": value})
            if step % 4 == 0:
                print(f"shown {value:.3f}")
        print(f"epoch {epoch} {total / len(train_loader):.4f} hits {hits}")
    print("valid", round(validate(model, val_loader), 4))
    print("kept", type(losses[0]).__name__, round(sum(losses), 3), round(sum(row["loss"] for row in log), 3))


if __name__ == "__main__":
    main()
