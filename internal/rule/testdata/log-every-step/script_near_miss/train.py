from transformers import HfArgumentParser, Trainer, TrainingArguments


def main(model, data):
    (args,) = HfArgumentParser((TrainingArguments,)).parse_args_into_dataclasses()
    trainer = Trainer(model=model.cuda(), args=args, train_dataset=data)
    trainer.train()
