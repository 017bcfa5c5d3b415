"""Images that are scaled to a size that is drawn are enlarged as often as not: a smaller copy cannot serve."""
import random

from PIL import Image
from torch.utils.data import DataLoader, Dataset


class Segments(Dataset):
    def __init__(self, files, base=520, crop=480, train=True):
        self.files, self.base, self.crop, self.train = files, base, crop, train

    def __len__(self):
        return len(self.files)

    def scaled(self, image):
        w, h = image.size
        size = random.randint(int(self.base * 0.5), int(self.base * 2.0))
        ow = int(1.0 * w * size / h + 0.5)
        image = image.resize((ow, size), Image.BILINEAR)
        x = random.randint(0, ow - self.crop)
        return image.crop((x, 0, x + self.crop, self.crop))

    def __getitem__(self, i):
        return self.scaled(Image.open(self.files[i]).convert("RGB"))


def train(files, model, optimizer):
    model.cuda()
    for x in DataLoader(Segments(files), batch_size=16, num_workers=4, pin_memory=True):
        loss = model(x.cuda(non_blocking=True)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
