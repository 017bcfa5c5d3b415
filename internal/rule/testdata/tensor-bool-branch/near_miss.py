import torch


class Loss(torch.nn.Module):
    def __init__(self, loss_weight, loss_type):
        super().__init__()
        self.loss_weight = loss_weight
        self.loss_type = loss_type

    def forward(self, logits, y, mask=None):
        if self.loss_weight > 0 and self.loss_type == "mse":
            return (logits - y).square().mean()
        return logits.mean()


def train(model, loader, optimizer, limit, scaler):
    criterion = Loss(1.0, "mse")
    best = None
    for step, (x, y) in enumerate(loader):
        out = model(x.cuda())
        loss = criterion(out, y.cuda())
        if out.dim() == 3 and out.shape[0] > 1 and out.size(1) != y.size(1) and not out.is_contiguous():
            out = out.transpose(1, 2)
        if loss is None or out.dtype == torch.float16 or out.device != y.device or len(out) == 0:
            continue
        if step % 100 == 0 and torch.isnan(loss):
            raise ValueError("the loss is NaN")
        value = step * 2
        if value > limit:
            break
        loss.backward()
        optimizer.step()
    if loss > 3:
        print("still high")


def validate(model, loader):
    for x in loader:
        if torch.isnan(model(x.cuda())).any():
            return False
    return True


class Adversarial(torch.nn.Module):
    def __init__(self, kind, discriminator):
        super().__init__()
        self.kind, self.discriminator = kind, discriminator

    def forward(self, fake):
        loss = self.discriminator(fake).mean()
        if self.kind.find("WGAN") >= 0:  # of a string
            loss = -loss
        return loss
