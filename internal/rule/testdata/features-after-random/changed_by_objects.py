import audiomentations
import kornia.augmentation as K
import torch
import torchaudio
from audiomentations import AddGaussianNoise, PitchShift
from torch import nn
from torch.utils.data import DataLoader, Dataset
from torchvision.io import read_image


class Clips(Dataset):
    def __init__(self, files):
        self.files = files
        self.change = audiomentations.Compose([AddGaussianNoise(p=0.5), PitchShift(p=0.5)])  # told SAT126 "made here"
        self.noise = audiomentations.Compose([AddGaussianNoise(p=0.5)])

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        wave, rate = torchaudio.load(self.files[i])
        wave = self.noise(samples=wave[0].numpy(), sample_rate=rate)
        return torch.from_numpy(self.change(samples=wave, sample_rate=rate))  # want SAT126 "PitchShift shifts the pitch"


class Images(Dataset):
    def __init__(self, files):
        self.files = files
        self.change = nn.Sequential(K.RandomHorizontalFlip(), K.RandomAffine(30.0), K.ColorJitter(0.4, 0.4, 0.4, 0.1))
        self.flip = nn.Sequential(K.RandomHorizontalFlip())

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        image = self.flip(read_image(self.files[i])[None] / 255)
        return self.change(image)[0]  # want SAT126 "RandomAffine changes one image after the other"


on_gpu = nn.Sequential(K.RandomAffine(30.0), K.ColorJitter(0.4, 0.4, 0.4, 0.1)).cuda()


def train(model, data, optimizer):
    for x in DataLoader(data, batch_size=64, shuffle=True, num_workers=8, pin_memory=True):
        loss = model(on_gpu(x.cuda(non_blocking=True))).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


if __name__ == "__main__":
    net = nn.Conv2d(3, 8, 3).cuda()
    train(net, Clips(open("clips").read().split()), torch.optim.SGD(net.parameters(), 0.1))
    train(net, Images(open("images").read().split()), torch.optim.SGD(net.parameters(), 0.1))
