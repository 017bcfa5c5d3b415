"""A step that is recorded whole: what it needs of each batch becomes arguments, what the loop reads of it is returned."""
# repairs: only SAT411/4
import torch
from torch import nn
from torch.utils.data import DataLoader

torch.compiler.set_default_backend("eager")
device = "cuda" if torch.cuda.is_available() else "cpu"


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(160, 160) for _ in range(3)])

    def forward(self, x):
        for layer in self.layers:
            x = x + torch.tanh(layer(x))
        return x.mean(1)


def main():
    torch.manual_seed(0)
    model = Net().to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
    rows = [(torch.randn(160), torch.randn(())) for _ in range(12)]
    count = 0
    for epoch in range(2):
        for x, y in DataLoader(rows, batch_size=3):
            x, y = x.to(device), y.to(device)
            optimizer.zero_grad()
            with torch.autocast(device, torch.bfloat16, enabled=False):
                out = model(x)
                loss = (
                    (out - y).square().mean()  # of the batch
                )
            loss.backward()
            norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            count += 1
            print(f"{epoch} {count} {loss.item():.4f} {norm.item():.4f} {schedule.get_last_lr()[0]:.5f}")


if __name__ == "__main__":
    main()
