import torch


class AverageMeter:
    def __init__(self):
        self.val = self.sum = self.count = self.avg = 0

    def update(self, val, n=1):
        self.val = val
        self.sum += val * n
        self.count += n
        self.avg = self.sum / self.count


def running_average(model, loader, optimizer, criterion):
    model.cuda()
    running, step = 0.0, 0
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        running = 0.9 * running + 0.1 * loss.item()  # want SAT301 "waits for the GPU in every step"
        step += 1
        if step % 50 == 0:
            print(f"step {step} loss {running:.4f}")
    return running


def meters(model, loader, optimizer, criterion):
    model.cuda()
    losses = AverageMeter()
    for step, (x, y) in enumerate(loader):
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        losses.update(loss.item(), x.size(0))  # want SAT301 "waits for the GPU in every step"
        if step % 50 == 0:
            print(f"loss {losses.val:.4f} ({losses.avg:.4f})")
    return losses.avg


def lists(model, loader, optimizer, criterion):
    model.cuda()
    step, losses = 0, []
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        losses.append(loss.item())  # want SAT301 "waits for the GPU in every step"
        step += 1
        if step % 20 == 0:
            print(f"step {step} loss {sum(losses[-20:]) / 20:.4f}, last {losses[-1]}")
    return sum(losses) / len(losses)


def decides(model, loader, optimizer, criterion):
    model.cuda()
    running = 0.0
    for step, (x, y) in enumerate(loader):
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        running = 0.9 * running + 0.1 * loss.item()  # want SAT301 "waits for the GPU in every step"
        if running > 10:
            break


def shows_each(model, loader, optimizer, criterion, bar):
    model.cuda()
    running = 0.0
    for step, (x, y) in enumerate(loader):
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        running = 0.9 * running + 0.1 * loss.item()  # want SAT301 "waits for the GPU in every step"
        bar.show(running)
