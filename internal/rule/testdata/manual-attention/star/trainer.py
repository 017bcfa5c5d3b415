from transformers.trainer import *


class PairTrainer(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False):
        return model(**inputs)
