from ignite.engine import Engine


class Steps(Engine):
    def __init__(self, work, model, optimizer):
        super().__init__(work)
        self.model, self.optimizer = model, optimizer

    @staticmethod
    def train(engine, batch):
        engine.optimizer.zero_grad()
        loss = engine.model(batch.cuda(non_blocking=True)).mean()
        loss.backward()
        engine.optimizer.step()
