import torch
from diffusers import AutoencoderKL
from torch.utils.data import DataLoader
from torchvision import datasets, transforms


class Painter:
    def __init__(self, network):
        chain = transforms.Compose([transforms.Resize(256), transforms.RandomCrop(256), transforms.ToTensor()])
        self.loader = DataLoader(datasets.ImageFolder("pictures", chain), 64, shuffle=True, num_workers=8, pin_memory=True)
        self.coder = AutoencoderKL.from_pretrained("stabilityai/sd-vae-ft-mse", torch_dtype=torch.bfloat16).cuda().requires_grad_(False)
        self.network = network.cuda()
        self.optimizer = torch.optim.AdamW(self.network.parameters(), fused=True)

    def move(self, batch):
        return [x.cuda(non_blocking=True) for x in batch]

    def run(self):
        for epoch in range(100):
            for batch in self.loader:
                pictures, labels = self.move(batch)
                with torch.no_grad():
                    codes = self.coder.encode(pictures).latent_dist.mean
                loss = self.network(codes, labels)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
