"""Loaders of webdataset take pin_memory, too."""

import torch
import webdataset as wds


def train(urls, model, optimizer):
    data = wds.WebDataset(urls).shuffle(1000).decode("torchrgb").to_tuple("jpg", "cls").batched(64)
    loader = wds.WebLoader(data, batch_size=None, num_workers=8)  # want SAT203 "pageable"
    model.cuda()
    for epoch in range(10):
        for x, y in loader:
            loss = model(x.cuda(non_blocking=True), y.cuda(non_blocking=True))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def pinned(urls, model, optimizer):
    data = wds.WebDataset(urls).decode("torchrgb").to_tuple("jpg", "cls").batched(64)
    for x, y in wds.WebLoader(data, batch_size=None, num_workers=8, pin_memory=True):
        loss = model(x.cuda(non_blocking=True), y.cuda(non_blocking=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
