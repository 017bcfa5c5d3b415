"""A model whose loop keeps averages, meters and lists of what it computes."""
# repairs: SAT301 SAT315 only
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class AverageMeter:
    def __init__(self):
        self.val = self.sum = self.count = self.avg = 0

    def update(self, val, n=1):
        self.val = val
        self.sum += val * n
        self.count += n
        self.avg = self.sum / self.count


def train():
    torch.manual_seed(1)
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x = torch.randn(64, 8)
    loader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=8)
    running, losses = 0.0, []
    meter = AverageMeter()
    for step, (x, y) in enumerate(loader):
        x, y = x.to(device), y.to(device)
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0).item()
        optimizer.step()
        running = 0.9 * running + 0.1 * loss.item()
        meter.update(loss.item(), len(x))
        losses.append(loss.item())
        if step % 4 == 0:
            print(f"{running:.4f} {meter.val:.4f} {meter.avg:.4f} {sum(losses[-3:]) / 3:.4f} {norm:.4f}")
    return running, meter.avg, max(losses)


print("%.4f %.4f %.4f" % train())
