import torch


def train(model, loader, optimizer, device):
    model.cuda()
    for waves, *batch in loader:
        batch = [b.to(device, non_blocking=True) for b in batch]
        texts, mels, lengths = batch
        short = lengths.min().item()  # want SAT301 "waits for the GPU"
        loss = model(texts, mels[:, :, :short]).mean()
        loss.backward()
        optimizer.step()
        both = torch.stack([loss, loss**2])
        shown = [both[i].item() for i in range(2)]  # told SAT301 "waits"
