import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.backends.cudnn.benchmark = True


class Crops(Dataset):
    def __getitem__(self, i):
        return self.clips[i][:16000]


def main():
    model = nn.Conv1d(80, 80, 3).cuda()
    optimizer = torch.optim.Adam(model.parameters())
    for x in DataLoader(Crops()):
        model(x.cuda()).mean().backward()
        optimizer.step()


def on_canvas(canvas):
    def collate(items):
        batch = torch.zeros(len(items), 3, *canvas)
        for i, image in enumerate(items):
            batch[i, :, : image.shape[1], : image.shape[2]] = image
        return batch

    return collate


def rounded(items):
    longest = (max(x.shape[1] for x in items) + 255) // 256 * 256
    batch = torch.zeros(len(items), 80, longest)
    for i, x in enumerate(items):
        batch[i, :, : x.shape[1]] = x
    return batch


def train(model, optimizer):
    for collate in (on_canvas((512, 512)), rounded):
        for x in DataLoader(Crops(), batch_size=8, collate_fn=collate):
            model(x.cuda()).mean().backward()
            optimizer.step()
