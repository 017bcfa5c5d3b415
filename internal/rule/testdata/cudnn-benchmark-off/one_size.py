import torch
import torchvision
from torch import nn
from torch.utils.data import DataLoader
from torchvision import transforms


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Conv2d(64, 64, 3)

    def forward(self, x):
        return self.layer(x).mean()


def main():
    data = torchvision.datasets.ImageFolder("images", transforms.Compose([transforms.Resize((64, 128)), transforms.ToTensor()]))
    loader = DataLoader(data, batch_size=16, num_workers=4, pin_memory=True, persistent_workers=True)
    model = Net().to("cuda")  # want SAT413 "cuDNN chooses algorithms without measuring them"
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, fused=True)
    for epoch in range(10):
        for x, y in loader:
            loss = model(x.to("cuda", non_blocking=True))
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()


if __name__ == "__main__":
    main()
