import torch
from transformers import Trainer


class Contrastive(Trainer):
    """A trainer with a loop of its own; the step is the library's."""

    def train(self):
        model = self.model.cuda()
        if self.args.n_gpu > 1:
            model = torch.nn.DataParallel(model)  # want SAT601 "DataParallel"
        for step, inputs in enumerate(self.get_train_dataloader()):
            self.total += self.training_step(model, inputs)
            self.optimizer.step()
            model.zero_grad()
