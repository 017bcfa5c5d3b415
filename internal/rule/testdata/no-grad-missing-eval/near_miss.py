import lightning.pytorch as pl
import torch
from torch import nn


@torch.no_grad()
def evaluate(model, loader):
    for x in loader:
        model(x)


def validate(model, loader):
    with torch.inference_mode():
        for x in loader:
            model(x)


def evaluate_batches(model, loader):
    for x in loader:
        model(x)


def main(model, loader):
    with torch.no_grad():
        evaluate_batches(model, loader)


def evaluate_robustness(model, loader):
    for x in loader:
        x.requires_grad_()
        out = model(x)
        print(torch.autograd.grad(out.sum(), x))


def train_and_eval(model, loader):
    for x in loader:
        model(x).mean().backward()


def test_loader(loader, make):
    for x in loader:
        print(make(x))


def evaluate_text(model, prompts):
    return [model.generate(p) for p in prompts]
