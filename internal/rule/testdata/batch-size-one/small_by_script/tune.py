import transformers
from transformers import AutoModelForCausalLM, HfArgumentParser, Trainer, TrainingArguments


def main():
    parser = HfArgumentParser(TrainingArguments)  # want SAT211 "the batch size is 2"
    (args,) = parser.parse_args_into_dataclasses()
    model = AutoModelForCausalLM.from_pretrained("mistralai/Mistral-7B-v0.1")
    trainer = Trainer(model=model, args=args, train_dataset=texts())
    trainer.train()


if __name__ == "__main__":
    main()
