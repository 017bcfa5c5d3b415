import argparse

from PIL import Image
from torch.utils.data import DataLoader, Dataset
from torchvision.transforms.functional import to_tensor

parser = argparse.ArgumentParser()
parser.add_argument("--readers", type=int, default=8)
args = parser.parse_args()


class Photos(Dataset):
    def __init__(self, files):
        self.files = files

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        return to_tensor(Image.open(self.files[i]))


def train(model, optimizer):
    model.cuda()
    for batch in DataLoader(Photos(["a.jpg"]), batch_size=128, num_workers=args.readers):  # want SAT210 "=8 for the 128 costly samples of each batch; it depends"
        model(batch.cuda()).backward()
        optimizer.step()
        optimizer.zero_grad()
