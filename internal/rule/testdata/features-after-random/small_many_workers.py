from torch.utils.data import DataLoader
from torchvision import datasets, transforms


def train(model, optimizer):
    model.cuda()
    change = transforms.Compose([
        transforms.RandomResizedCrop(224),
        transforms.ColorJitter(0.4, 0.4, 0.4, 0.1),
        transforms.ToTensor(),
    ])
    many = DataLoader(datasets.ImageFolder("photos", change), batch_size=64, num_workers=16, pin_memory=True)  # want SAT126 "ColorJitter changes each image on the CPU"
    mild = transforms.Compose([transforms.RandomResizedCrop(224), transforms.RandAugment(), transforms.ToTensor()])
    few = DataLoader(datasets.ImageFolder("photos", mild), batch_size=64, num_workers=2, pin_memory=True)  # want SAT126 "RandAugment changes each image on the CPU"
    for loader in (many, few):
        for x, y in loader:
            loss = model(x.cuda(non_blocking=True)).sub(y.cuda(non_blocking=True)).mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
