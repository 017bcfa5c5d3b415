from pathlib import Path

from PIL import Image
from torch.utils.data import Dataset
from torchvision import transforms


class Photos(Dataset):
    def __init__(self, folder, transform=None):
        self.files = sorted(Path(folder).rglob("*.jpg"))
        self.transform = transform

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        path = self.files[index]
        image = Image.open(path).convert("RGB")
        if self.transform is not None:
            image = self.transform(image)
        return image, index % 2


augment = transforms.Compose([
    transforms.Resize(64),
    transforms.RandomCrop(48),
    transforms.RandomHorizontalFlip(),
    transforms.ToTensor(),
])
