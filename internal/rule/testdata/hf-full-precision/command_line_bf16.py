"""The default of the project's own class is bf16, so that the command line need not say it."""
from dataclasses import dataclass

from transformers import AutoModelForCausalLM, HfArgumentParser, Trainer, TrainingArguments


@dataclass
class Arguments(TrainingArguments):
    bf16: bool = True


def main():
    parser = HfArgumentParser([Arguments])
    (training_args,) = parser.parse_args_into_dataclasses()
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    Trainer(model=model, args=training_args, train_dataset=data).train()
