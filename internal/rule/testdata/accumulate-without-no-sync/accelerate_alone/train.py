import torch
from accelerate import Accelerator


def train(net, loader, every=4):
    accelerator = Accelerator(mixed_precision="bf16")
    optimizer = torch.optim.AdamW(net.parameters(), fused=True)
    net, optimizer, loader = accelerator.prepare(net, optimizer, loader)
    for step, batch in enumerate(loader, 1):
        loss = net(batch)
        accelerator.backward(loss / every)
        if step % every == 0:
            optimizer.step()
            optimizer.zero_grad()
