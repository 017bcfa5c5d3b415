"""Between model.eval() and model.train() something takes gradients, or turns them off."""
import torch
from torch import nn


def frozen_statistics(model, loader, optimizer):
    model.eval()
    for x in loader:
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()


def attack(model, loader, optimizer):
    for x in loader:
        model(x.cuda()).mean().backward()
        optimizer.step()
    model.eval()
    for x in loader:
        push(model, x.cuda())
        model(x.cuda())
    model.train()


def push(model, x):
    x = x.clone()
    return x + torch.autograd.grad(model(x).sum(), x)[0]


def gathered(model, loader, optimizer):
    for x in loader:
        model(x.cuda()).mean().backward()
    model.eval()
    total = 0
    for x in loader:
        total = total + model(x.cuda()).mean()
    total.backward()
    optimizer.step()


def turned_off(model, loader, val_loader, optimizer):
    for x in loader:
        model(x.cuda()).mean().backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        for x in val_loader:
            model(x.cuda())
    model.train()


def distil(teacher, model, loader, optimizer):
    teacher.eval()
    for x in loader:
        loss = (model(x.cuda()) - teacher(x.cuda()).detach()).abs().mean()
        loss.backward()
        optimizer.step()


def trains_again(model, loader, optimizer):
    model.eval()
    print(model)
    model.train()
    for x in loader:
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()
