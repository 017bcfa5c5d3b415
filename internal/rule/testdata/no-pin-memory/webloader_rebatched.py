"""The training process makes batches of its own of what the workers give: pinned memory would be copied again."""

import torch
import webdataset as wds


def train(urls, model, optimizer):
    data = wds.WebDataset(urls).decode("torchrgb").to_tuple("jpg", "cls").batched(64)
    loader = wds.WebLoader(data, batch_size=None, num_workers=8).unbatched().shuffle(1000).batched(64)
    model.cuda()
    for epoch in range(10):
        for x, y in loader:
            loss = model(x.cuda(non_blocking=True), y.cuda(non_blocking=True))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
