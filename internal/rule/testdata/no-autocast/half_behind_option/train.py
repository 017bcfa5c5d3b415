"""Half precision of tensors behind options that are off: the model trains in float32."""
import argparse

import torch
import torchvision

try:
    autocast = torch.cuda.amp.autocast
except AttributeError:
    class autocast:
        def __init__(self, enabled):
            pass

        def __enter__(self):
            pass

        def __exit__(self, *args):
            pass


def noise(size, half=False):
    return torch.randn(size, dtype=torch.float16 if half else torch.float32)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fp16", action="store_true")
    parser.add_argument("--mixed", action="store_true")
    config = vars(parser.parse_args())
    model = torchvision.models.resnet50().cuda()
    optimizer = torch.optim.Adam(model.parameters())
    loader = torch.utils.data.DataLoader(torchvision.datasets.FakeData(), batch_size=256, pin_memory=True)
    for x, y in loader:
        if config["fp16"]:
            x = x.cuda().half()
        else:
            x = x.cuda()
        x = x + noise(1, half=config["fp16"]).cuda()
        with autocast(enabled=config["mixed"]):
            loss = torch.nn.functional.cross_entropy(model(x), y.cuda())  # want SAT401 "the model is trained entirely in float32: mixed precision is switched off"
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


main()
