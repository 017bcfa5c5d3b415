"""Fields of a batch that the step moves and puts back lie on the GPU, part by part."""
import torch


def train(model, loader, optimizer, criterion, device="cuda"):
    model.cuda()
    longest = 0
    for batch in loader:
        batch.x = batch.x.to(device)
        batch.y = (batch.y[0].to(device), batch.y[1])
        words = int(batch.y[1].sum())
        longest = max(longest, words)
        top = batch.y[0].max().item()  # want SAT301 "waits for the GPU"
        loss = criterion(model(batch.x), batch.y[0]) / words / top
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
