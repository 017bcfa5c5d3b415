import time

import torch


def train(model, loader, optimizer):
    model.cuda()
    for x in loader:
        start = time.time()
        loss = model(x.cuda(non_blocking=True)).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        torch.cuda.synchronize()
        took = time.time() - start
        print(f"{loss.item():.4f} {took:.2f} s")  # want SAT301 "just waited for the GPU in line 14"
