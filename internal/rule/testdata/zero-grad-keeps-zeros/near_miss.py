def train(model, loader, optimizer, keep):
    optimizer.zero_grad(set_to_none=False)
    for x in loader:
        optimizer.zero_grad()
        optimizer.zero_grad(set_to_none=True)
        optimizer.zero_grad(set_to_none=keep)
        loss = model(x.cuda()).sum()
        loss.backward()
        optimizer.step()


class Scheduled:
    def __init__(self, optimizer):
        self.optimizer = optimizer

    def zero_grad(self, set_to_none=False):
        self.optimizer.zero_grad()


def wrapped(model, loader, optimizer):
    scheduled = Scheduled(optimizer)
    for x in loader:
        scheduled.zero_grad(set_to_none=False)
        model(x.cuda()).sum().backward()
        optimizer.step()
