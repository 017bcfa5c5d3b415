"""A method that takes a training step, and that only a library's trainer calls; the norm that clipping returns."""
import math

import torch
from transformers import Trainer


class Smooth(Trainer):
    def _training_step(self, model, inputs, optimizer):
        loss = model(**inputs)[0].cuda()
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        if math.isnan(norm):
            print("not a number")
        optimizer.step()
        return loss.item()  # want SAT301 "loss.item"
