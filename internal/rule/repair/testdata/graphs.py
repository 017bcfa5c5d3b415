"""Labels of many lengths, and the repair that lets lengths repeat for CUDA graphs: what is padded is left out of the loss."""
# repairs: only SAT411/2
import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

torch.compiler.set_default_backend("eager")
device = "cuda" if torch.cuda.is_available() else "cpu"


def collate(rows):
    labels = pad_sequence(rows, batch_first=True, padding_value=-100)
    return labels.clamp(min=0), labels


def main():
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Embedding(16, 8), torch.nn.Linear(8, 16)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    rows = [torch.randint(0, 16, (3 + 5 * i,), generator=torch.Generator().manual_seed(i)) for i in range(8)]
    for x, y in DataLoader(rows, batch_size=2, collate_fn=collate):
        out = model(x.to(device))
        loss = torch.nn.functional.cross_entropy(out.flatten(0, 1), y.to(device).flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"{loss.item():.4f}")


if __name__ == "__main__":
    main()
