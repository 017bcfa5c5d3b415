import lightning as L
import torch
import torch.distributed as dist
import torch.nn.functional as F
from accelerate import Accelerator


def together():
    if dist.is_available() and dist.is_initialized():
        dist.barrier()  # want SAT307 "all processes wait"


def plain(model, optimizer, loader):
    for x, y in loader:
        loss = F.cross_entropy(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        together()


def prepared(model, optimizer, loader):
    accelerator = Accelerator()
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for step, (x, y) in enumerate(loader):
        loss = F.cross_entropy(model(x), y)
        accelerator.backward(loss)
        optimizer.step()
        accelerator.wait_for_everyone()  # want SAT307 "all processes wait"
        if step % 1000 == 0:
            accelerator.wait_for_everyone()
            accelerator.save_state("last")
    accelerator.wait_for_everyone()


class Lit(L.LightningModule):
    def training_step(self, batch, i):
        loss = F.cross_entropy(self.net(batch[0]), batch[1])
        self.trainer.strategy.barrier()  # want SAT307 "all processes wait"
        return loss

    def on_train_epoch_end(self):
        self.trainer.strategy.barrier()
        torch.cuda.synchronize()
