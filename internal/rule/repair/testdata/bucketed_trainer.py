"""Short and long texts in one batch of the trainer of transformers; without learning, their order does not matter."""
# repairs: only SAT114
import torch
from tokenizers import Tokenizer, models
from transformers import DataCollatorWithPadding, GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast, Trainer, TrainingArguments


class Counted(Trainer):
    texts = words = 0.0

    def log(self, logs, *rest):
        pass

    def compute_loss(self, model, inputs, *rest, **more):
        self.texts += len(inputs["input_ids"])
        self.words += (inputs["input_ids"].double().exp2() * inputs["attention_mask"]).sum().item()
        return model(**inputs, labels=inputs["input_ids"]).loss


if __name__ == "__main__":
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=Tokenizer(models.WordLevel({"[PAD]": 0}, "[PAD]")), pad_token="[PAD]")
    data = [{"input_ids": [i % 30 + 1] * (3 + i % 7)} for i in range(32)]
    model = GPT2LMHeadModel(GPT2Config(vocab_size=32, n_positions=16, n_embd=8, n_layer=1, n_head=2))
    args = TrainingArguments(
        "out", per_device_train_batch_size=2, learning_rate=0.0, num_train_epochs=2,
        save_strategy="no", report_to="none", disable_tqdm=True, use_cpu=not torch.cuda.is_available(),
    )
    trainer = Counted(model=model, args=args, train_dataset=data, data_collator=DataCollatorWithPadding(tokenizer))
    trainer.train()
    print(trainer.texts, trainer.words)
