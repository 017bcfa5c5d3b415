from transformers import AutoModelForCTC, HfArgumentParser, Trainer, TrainingArguments


def main():
    parser = HfArgumentParser(TrainingArguments)
    (args,) = parser.parse_args_into_dataclasses()
    trainer = Trainer(AutoModelForCTC.from_pretrained("wav2vec2"), args)
    trainer.train()


main()
