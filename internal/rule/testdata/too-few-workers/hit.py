import soundfile
import torch
from torch.utils.data import DataLoader, Dataset


class Clips(Dataset):
    def __getitem__(self, i):
        return torch.from_numpy(soundfile.read(self.files[i])[0])


def train(model, optimizer):
    model.cuda()
    for x in DataLoader(Clips(), batch_size=400, num_workers=4, shuffle=True):  # want SAT210 "costly samples of each batch"
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()
