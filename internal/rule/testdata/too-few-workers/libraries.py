import torch
import webdataset as wds
from timm.data import create_loader


def loaders(shards, images, tf):
    samples = wds.WebDataset(shards).decode("pil").to_tuple("jpg", "cls").map_tuple(tf, int).batched(256)
    one = wds.WebLoader(samples, batch_size=None, num_workers=1)  # want SAT210 "one worker"
    many = wds.WebLoader(samples, batch_size=None, num_workers=8)
    timm = create_loader(images, (3, 224, 224), 256, is_training=True)  # want SAT210 "one worker"
    return one, many, timm


def train(model, shards, images, tf):
    model = model.to("cuda")
    optimizer = torch.optim.AdamW(model.parameters())
    for loader in loaders(shards, images, tf):
        for x, y in loader:
            with torch.autocast("cuda", dtype=torch.bfloat16):
                loss = torch.nn.functional.cross_entropy(model(x.cuda()), y.cuda())
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
