"""A small CTC model with lengths on the GPU, a table on the host and a log of lists."""
# repairs: only SAT301 SAT304 SAT324
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 6)

    def forward(self, x, lengths):
        lengths = (lengths + 1) // 2
        seen = torch.arange(x.size(1), device=x.device) < lengths[:, None]
        return self.layer(x * seen[..., None]).log_softmax(-1), lengths


class Noise:
    def __init__(self, steps):
        self.shares = torch.cumprod(1 - torch.linspace(1e-4, 0.02, steps), dim=0)

    def share(self, t):
        share = self.shares[t.cpu()].to(t.device)[:, None, None]
        return share.sqrt()


def main():
    torch.manual_seed(0)
    data = TensorDataset(torch.randn(16, 20, 8), torch.randint(24, 41, (16,)), torch.randint(1, 6, (16, 4)), torch.randint(2, 5, (16,)))
    loader = DataLoader(data, batch_size=4)
    model, noise, ctc = Encoder().to(device), Noise(100), nn.CTCLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
    history = {"loss": [], "rate": []}
    for epoch in range(3):
        for step, (x, lengths, targets, target_lengths) in enumerate(loader):
            x = x.to(device)
            t = torch.full((len(x),), 10 * step, device=device)
            out, out_lengths = model(x * noise.share(t), lengths.to(device))
            loss = ctc(out.transpose(0, 1), targets.to(device), out_lengths, target_lengths)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            history["loss"].append(loss.item())
            history["rate"].append(optimizer.param_groups[0]["lr"])
            if step % 2 == 0:
                recent = history["loss"][-3:]
                print(f"shown {sum(recent) / len(recent):.4f} {history['loss'][-1]:.4f}")
    print("kept", type(history["loss"][0]).__name__, round(sum(history["loss"]), 3))


if __name__ == "__main__":
    main()
