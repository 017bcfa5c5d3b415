from torch.utils.data import DataLoader


def cycle(loader):
    while True:
        for batch in loader:
            yield batch


class Trainer:
    def __init__(self, model, data, optimizer, accelerator):
        self.accelerator = accelerator
        loader = DataLoader(data, batch_size=16, pin_memory=True, num_workers=4)
        loader = self.accelerator.prepare(loader)
        self.batches = cycle(loader)
        self.model, self.optimizer = self.accelerator.prepare(model, optimizer)

    def train(self, steps):
        device = self.accelerator.device
        self.model.cuda()
        for step in range(steps):
            data = next(self.batches).to(device)
            loss = self.model(data)
            loss.backward()
            self.optimizer.step()
            self.optimizer.zero_grad()
