from transformers import HfArgumentParser, Trainer, TrainingArguments


def main():
    (args,) = HfArgumentParser((TrainingArguments,)).parse_args_into_dataclasses()  # want SAT707 "every 100 steps"
    trainer = Trainer(args=args)
    trainer.train()
