import torch


def train(model, loader, optimizer):
    model.cuda()
    for x in loader:
        model(x.cuda()).mean().backward()
        print(clip(model))
        optimizer.step()


def clip(model):
    return torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0).item()  # SAT315 says it
