"""A ResNet on JPEG files, decoded and augmented for each sample."""

import argparse
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image
from torch.utils.data import DataLoader, Dataset
from torchvision import models, transforms


def draw(folder, count):
    """Makes the pictures once: smooth noise, as JPEG."""
    folder.mkdir(parents=True, exist_ok=True)
    for i in range(count):
        path = folder / f"{i}.jpg"
        if not path.exists():
            noise = np.random.default_rng(i).integers(0, 256, (25, 32, 3), dtype=np.uint8)
            Image.fromarray(noise).resize((640, 500), Image.BICUBIC).save(path, quality=90)


class Pictures(Dataset):
    def __init__(self, folder, count):
        self.paths = [folder / f"{i}.jpg" for i in range(count)]
        self.transform = transforms.Compose([
            transforms.Resize(256),
            transforms.RandomCrop(224),
            transforms.RandomHorizontalFlip(),
            transforms.ToTensor(),
            transforms.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]),
        ])

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        picture = Image.open(self.paths[index]).convert("RGB")
        return self.transform(picture), index % 100


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--pictures", type=int, default=1024)
    args = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(1)
    folder = Path(__file__).parent / "pictures"
    draw(folder, args.pictures)
    loader = DataLoader(Pictures(folder, args.pictures), batch_size=args.batch, shuffle=True, drop_last=True)
    model = models.resnet18(num_classes=100).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    step, losses = 0, []
    while step < args.steps:
        for x, y in loader:
            x, y = x.to(device), y.to(device)
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            step += 1
            if step % 20 == 0:
                print(f"step {step} loss {sum(losses[-20:]) / 20:.4f}", flush=True)
            if step == args.steps:
                break


if __name__ == "__main__":
    main()
