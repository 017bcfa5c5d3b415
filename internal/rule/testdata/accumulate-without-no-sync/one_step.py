from torch.nn.parallel import DistributedDataParallel


class Trainer:
    def __init__(self, model, optimizer, parts):
        self.model = DistributedDataParallel(model.cuda())
        self.optimizer, self.parts = optimizer, parts

    def step(self, batches):
        self.optimizer.zero_grad()
        for _ in range(self.parts):
            loss = self.model(next(batches).cuda(non_blocking=True)).mean() / self.parts
            loss.backward()  # want SAT602 "gradients are synchronized"
        self.optimizer.step()

    def run(self, loader, steps):
        batches = iter(loader)
        for _ in range(steps):
            self.step(batches)
