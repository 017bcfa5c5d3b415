from scipy.optimize import linear_sum_assignment
import torch
from sklearn.metrics import f1_score
import lightning.pytorch as pl


def train(model, loader, optimizer, criterion, device):
    predictions, losses = [], []
    for x, y in loader:
        y = y.to(device, non_blocking=True)
        out = model(x.to(device, non_blocking=True))
        loss = criterion(out, y)
        loss.backward()
        optimizer.step()
        predictions += out.argmax(-1).cpu().tolist()  # want SAT304 "copies to the host and waits"
        losses.append(loss.detach().cpu().numpy())  # told SAT304 "copies"
        f1_score(y.to("cpu"), out.argmax(-1).detach().to("cpu"))  # told SAT304 "copies"


class Speech(pl.LightningModule):
    def __init__(self, model, criterion):
        super().__init__()
        self.model, self.criterion, self.seen = model, criterion, []

    def training_step(self, batch, index):
        logits = self.model(batch["x"])
        loss = self.criterion(logits, batch["y"])
        self.seen.append(logits.argmax(-1).cpu())  # want SAT304 "copies to the host"
        return loss


trainer = pl.Trainer(accelerator="gpu")


def train_own(model, loader, optimizer, meter):
    model.cuda()
    criterion = torch.nn.CrossEntropyLoss()
    for x, y in loader:
        loss = criterion(model(x.cuda(non_blocking=True)), y.cuda(non_blocking=True))
        loss.backward()
        optimizer.step()
        meter.update(loss.detach().cpu().numpy(), len(x))  # want SAT304 "copies to the host"


def log_losses(times, losses):
    for key, values in losses.items():
        for time, value in zip(times.cpu().numpy(), values.cpu().numpy()):  # want SAT304 "times.cpu"
            print(key, time, value)


def train_logged(model, loader, optimizer, sampler):
    model.cuda()
    for x in loader:
        times = sampler.sample(len(x))
        losses = model.losses(x.cuda(non_blocking=True), times)
        log_losses(times, losses)
        losses["loss"].mean().backward()
        optimizer.step()


def match(model, loader, optimizer):
    for x in loader:
        cost = model(x.cuda())
        cost.sum().backward()
        optimizer.step()
        rows, columns = linear_sum_assignment(cost.detach().cpu())  # want SAT304 "for a solver"
