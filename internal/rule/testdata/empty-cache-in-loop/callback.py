import torch
from transformers import Trainer, TrainerCallback, TrainingArguments


class Cleaner(TrainerCallback):
    def on_step_end(self, args, state, control, **kwargs):
        torch.cuda.empty_cache()  # want SAT308 "every step"

    def on_epoch_end(self, args, state, control, **kwargs):
        torch.cuda.empty_cache()


def main(model, data):
    Trainer(model, TrainingArguments("out", bf16=True), train_dataset=data, callbacks=[Cleaner()]).train()
