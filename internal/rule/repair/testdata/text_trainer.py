"""A model that is said to be large in the trainer of transformers: eager attention, texts of any length, and no checkpointing."""
# repairs: only SAT410 SAT418 SAT502
import torch
from tokenizers import Tokenizer, models
from transformers import AutoModelForCausalLM, DataCollatorForSeq2Seq, MistralConfig, MistralForCausalLM, PreTrainedTokenizerFast, Trainer, TrainingArguments


class Quiet(Trainer):
    def log(self, logs, *rest):
        pass


NAME = "mistralai/Mistral-7B-v0.1"
if __name__ == "__main__":
    torch.manual_seed(0)
    MistralForCausalLM(
        MistralConfig(vocab_size=64, hidden_size=16, intermediate_size=32, num_hidden_layers=2, num_attention_heads=2, num_key_value_heads=1)
    ).save_pretrained(NAME)
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=Tokenizer(models.WordLevel({"[PAD]": 0}, "[PAD]")), pad_token="[PAD]")
    rows = [torch.randint(1, 64, (3 + i % 7,), generator=torch.Generator().manual_seed(i)).tolist() for i in range(32)]
    data = [{"input_ids": r, "attention_mask": [1] * len(r), "labels": r} for r in rows]
    model = AutoModelForCausalLM.from_pretrained(NAME, attn_implementation="eager")
    args = TrainingArguments(
        "out", per_device_train_batch_size=2, gradient_accumulation_steps=8, learning_rate=1e-2, num_train_epochs=6, logging_steps=1,
        bf16=torch.cuda.is_available(), save_strategy="no", report_to="none", disable_tqdm=True, use_cpu=not torch.cuda.is_available(),
    )
    # bf16=True is what a GPU gets
    trainer = Quiet(model=model, args=args, train_dataset=data, data_collator=DataCollatorForSeq2Seq(tokenizer))
    print(f"{trainer.train().training_loss:.4f}")
