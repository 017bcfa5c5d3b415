from dataclasses import dataclass, field

from transformers import AutoModelForCausalLM, HfArgumentParser, Trainer, TrainingArguments


@dataclass
class ModelArguments:
    name: str = "gpt2"
    dtype: str = field(default=None, metadata={"choices": ["auto", "bfloat16", "float32"]})


def main():
    parser = HfArgumentParser((ModelArguments, TrainingArguments))  # want SAT701 "unless you pass --bf16 or --fp16"
    model_args, training_args = parser.parse_args_into_dataclasses()
    model = AutoModelForCausalLM.from_pretrained(model_args.name, dtype=model_args.dtype)
    Trainer(model=model, args=training_args, train_dataset=data).train()
