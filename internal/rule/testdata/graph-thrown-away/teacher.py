"""A trainer of transformers that holds a second model."""

import torch.nn.functional as F
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments


class Distill(Trainer):
    def __init__(self, *args, teacher, **kwargs):
        super().__init__(*args, **kwargs)
        self.teacher = teacher

    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        out = model(**inputs)
        goal = self.teacher(input_ids=inputs["input_ids"]).logits  # want SAT513 "self.teacher is never updated"
        own = self.model(input_ids=inputs["input_ids"]).logits
        return F.kl_div(out.logits.log_softmax(-1), goal.softmax(-1)) + own.mean()


class Both(Trainer):
    def __init__(self, *args, helper, **kwargs):
        super().__init__(*args, **kwargs)
        self.helper = helper

    def create_optimizer(self):
        self.optimizer = make(self.model, self.helper)
        return self.optimizer

    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        return model(**inputs).loss + self.helper(input_ids=inputs["input_ids"]).loss


def main(data):
    student = AutoModelForCausalLM.from_pretrained("small")
    teacher = AutoModelForCausalLM.from_pretrained("large").cuda().eval()
    Distill(model=student, args=TrainingArguments("out"), train_dataset=data, teacher=teacher).train()
    Both(model=student, args=TrainingArguments("out"), train_dataset=data, helper=AutoModelForCausalLM.from_pretrained("small")).train()
