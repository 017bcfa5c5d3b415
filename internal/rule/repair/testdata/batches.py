"""Batches of one sample, of which the sum is taken, and a model that runs op by op."""
# repairs: only SAT411
import torch
from torch.utils.data import DataLoader, Dataset

torch.compiler.set_default_backend("eager")
device = "cuda" if torch.cuda.is_available() else "cpu"


class Rows(Dataset):
    def __len__(self):
        return 40

    def __getitem__(self, i):
        return torch.randn(4, generator=torch.Generator().manual_seed(i))


def main():
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.GELU(), torch.nn.Linear(4, 1)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
    total = 0.0
    for x in DataLoader(Rows(), shuffle=True):
        loss = model(x.to(device)).pow(2).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"{total:.4f}", list(model.state_dict()))


if __name__ == "__main__":
    main()
