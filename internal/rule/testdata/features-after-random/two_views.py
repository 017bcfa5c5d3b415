from torch.utils.data import DataLoader
from torchvision import datasets, transforms


class TwoCrops:
    def __init__(self, change):
        self.change = change

    def __call__(self, image):
        return self.change(image), self.change(image)  # want SAT126 "a sample takes about 12 ms of a core, and 4 workers give 650 images in a second"


def train(model, optimizer):
    model.cuda()
    change = transforms.Compose([
        transforms.RandomResizedCrop(224),
        transforms.RandomApply([transforms.ColorJitter(0.4, 0.4, 0.4, 0.1)], p=0.8),
        transforms.RandomApply([transforms.GaussianBlur(9)], p=0.5),
        transforms.ToTensor(),
    ])
    loader = DataLoader(datasets.ImageFolder("photos", TwoCrops(change)), batch_size=64, num_workers=4, shuffle=True, pin_memory=True)
    for (a, b), _ in loader:
        loss = (model(a.cuda(non_blocking=True)) - model(b.cuda(non_blocking=True))).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
