import torch


def evaluate(model, loader):
    model.eval()
    for x in loader:
        model(x.cuda())


model = torch.load("model.pt").cuda()
model.requires_grad_(False)
evaluate(model, torch.load("data.pt"))
