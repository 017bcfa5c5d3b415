import torch
import torchvision
from torch import nn
from torch.utils.data import DataLoader
from torchvision import transforms


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Conv2d(3, 8, 3)

    def forward(self, x):
        return self.layer(x).mean()


def pad(samples):
    width = max(x.shape[-1] for x, _ in samples)
    return torch.stack([nn.functional.pad(x, (0, width - x.shape[-1])) for x, _ in samples]), torch.tensor([y for _, y in samples])


def main():
    data = torchvision.datasets.ImageFolder("images", transforms.Compose([transforms.Resize(64), transforms.ToTensor()]))
    loader = DataLoader(data, batch_size=16, num_workers=4, pin_memory=True, persistent_workers=True, collate_fn=pad)
    model = Net().to("cuda")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, fused=True)
    for epoch in range(10):
        for x, y in loader:
            loss = model(x.to("cuda", non_blocking=True))
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()


if __name__ == "__main__":
    main()
