# One worker decodes every picture of the batch.
from PIL import Image
from torch.utils.data import DataLoader, Dataset


class Pictures(Dataset):
    def __init__(self, files):
        self.files = files

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        return Image.open(self.files[i]).convert("RGB").resize((800, 800))


def train(model, files, optimizer):
    model.cuda()
    loader = DataLoader(Pictures(files), batch_size=8, num_workers=1)  # want SAT210 "num_workers=1"
    more = DataLoader(Pictures(files), batch_size=8, num_workers=2)
    for x in loader:
        model(x.cuda()).sum().backward()
        optimizer.step()
    for x in more:
        model(x.cuda()).sum().backward()
        optimizer.step()
