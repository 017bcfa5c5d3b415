from torch.utils.data import DataLoader
from torchvision import datasets, transforms


def loaders(root):
    """Crops of 8% of an image need all of it, and many workers decode."""
    small = transforms.Compose([transforms.RandomResizedCrop(224), transforms.ToTensor()])
    large = transforms.Compose([transforms.RandomResizedCrop(224, scale=(0.67, 1.0)), transforms.ToTensor()])
    parts = DataLoader(datasets.ImageFolder(root, small), batch_size=64, num_workers=10)  # want SAT128 "many workers decode"
    wholes = DataLoader(datasets.ImageFolder(root, large), batch_size=64, num_workers=10)  # want SAT128 "decoded at full size"
    return parts, wholes


def train(model, optimizer, root):
    model.to("cuda")
    parts, wholes = loaders(root)
    for x, y in parts:
        model(x.cuda(non_blocking=True)).mean().backward()
        optimizer.step()
    for x, y in wholes:
        model(x.cuda(non_blocking=True)).mean().backward()
        optimizer.step()
