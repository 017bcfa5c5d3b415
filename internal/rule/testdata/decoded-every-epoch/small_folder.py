from torch.utils.data import DataLoader
from torchvision import datasets, transforms


class Flowers(datasets.ImageFolder):
    def __init__(self, root):
        super().__init__(root, transforms.ToTensor())


def train(model, optimizer):
    model.cuda()
    for batch, _ in DataLoader(Flowers("flowers"), batch_size=8, num_workers=16):  # want SAT135 "in every epoch; enough workers"
        model(batch.cuda()).backward()
        optimizer.step()
        optimizer.zero_grad()
