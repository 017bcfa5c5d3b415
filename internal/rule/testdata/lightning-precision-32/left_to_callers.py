from accelerate import Accelerator


class Fitting:
    def __init__(self, model, amp=False, kind="fp16"):
        self.accelerator = Accelerator(mixed_precision=kind if amp else "no")  # who uses it chooses
        self.model = self.accelerator.prepare(model)

    def train(self, loader, optimizer):
        for x in loader:
            loss = self.model(x.cuda())
            self.accelerator.backward(loss)
            optimizer.step()
