import torch
from data import Converted, Logarithms, Rooms, Rounded, Scaled, Sessions, Unknown
from masks import OneHot, OneHotInHalf
from torch.utils.data import DataLoader


def train(model, optimizer, path):
    model.cuda()
    for data in (Scaled(path, 9), Logarithms(path), Converted(path), Unknown(path), OneHot(path, 9), OneHotInHalf(path, 9)):
        for x, y in DataLoader(data, 64):
            loss = model(x.float().cuda()).square().mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
