import torch


class Average:
    def __init__(self, model, decay):
        self.decay = decay
        self.kept = {k: v.detach().cpu().clone() for k, v in model.state_dict().items()}

    @torch.no_grad()
    def update(self, model):
        for k, v in model.state_dict().items():
            self.kept[k].mul_(self.decay).add_(v.cpu(), alpha=1 - self.decay)  # want SAT304 "every weight is copied"

    def save(self, model):
        for k, v in model.state_dict().items():
            self.kept[k].copy_(v.cpu())


def train(model, loader, optimizer):
    model.cuda()
    average = Average(model, 0.999)
    for x in loader:
        model(x.cuda()).sum().backward()
        optimizer.step()
        average.update(model)
    average.save(model)
