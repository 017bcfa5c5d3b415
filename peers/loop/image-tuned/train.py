"""The same ResNet, tuned by hand: pictures decoded and resized once, workers, bfloat16, channels last, compiled, nothing read back."""

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
        resize = transforms.Resize(256)
        self.pictures = [resize(Image.open(folder / f"{i}.jpg").convert("RGB")) for i in range(count)]
        self.transform = transforms.Compose([
            transforms.RandomCrop(224),
            transforms.RandomHorizontalFlip(),
            transforms.ToTensor(),
            transforms.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]),
        ])

    def __len__(self):
        return len(self.pictures)

    def __getitem__(self, index):
        return self.transform(self.pictures[index]), index % 100


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--pictures", type=int, default=1024)
    args = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(1)
    torch.backends.cudnn.benchmark = True
    folder = Path(__file__).parent / "pictures"
    draw(folder, args.pictures)
    loader = DataLoader(Pictures(folder, args.pictures), batch_size=args.batch, shuffle=True, drop_last=True,
                        num_workers=8, pin_memory=True, persistent_workers=True)
    model = models.resnet18(num_classes=100).to(device, memory_format=torch.channels_last)
    model.compile(mode="reduce-overhead")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, fused=True)
    step, losses = 0, []
    while step < args.steps:
        for x, y in loader:
            x, y = x.to(device, non_blocking=True, memory_format=torch.channels_last), y.to(device, non_blocking=True)
            with torch.autocast(device, dtype=torch.bfloat16):
                loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.detach().clone())
            step += 1
            if step % 20 == 0:
                print(f"step {step} loss {sum(losses[-20:]) / 20:.4f}", flush=True)
            if step == args.steps:
                break


if __name__ == "__main__":
    main()
