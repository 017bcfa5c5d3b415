import torch
from torch.utils.data import DataLoader
from tqdm import tqdm


def train(model, data):
    model.cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    bar = tqdm(DataLoader(data, batch_size=8, num_workers=4, pin_memory=True))
    for step, (image, boxes) in enumerate(bar):
        kept = boxes.detach().cpu().numpy()  # the loader's batch is still on the host
        out = model(image.cuda(non_blocking=True))
        shown = out.detach().cpu().numpy()  # want SAT304 "copies to the host"
        out.mean().backward()
        optimizer.step()
        print(kept.shape, shown.shape)
