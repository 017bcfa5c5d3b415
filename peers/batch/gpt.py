"""A GPT-2 of 6 layers with Hugging Face Trainer; --finder lets it find its batch size itself."""

import os
import tempfile

import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments

import common

o = common.options(8)
length = 512 if not o.tiny else 32
config = GPT2Config(n_layer=6 if not o.tiny else 1, n_embd=512 if not o.tiny else 64, n_head=8, vocab_size=32000 if not o.tiny else 500, n_positions=length)
model = GPT2LMHeadModel(config)
tokens = torch.randint(0, config.vocab_size, (64, length))


class Texts(torch.utils.data.Dataset):
    def __init__(self, samples):
        self.samples = samples

    def __len__(self):
        return self.samples

    def __getitem__(self, index):
        row = tokens[index % 64]
        return {"input_ids": row, "labels": row}


common.cap()
arguments = TrainingArguments(
    output_dir=os.path.join(tempfile.gettempdir(), "gpt-out"),
    per_device_train_batch_size=o.batch,
    per_device_eval_batch_size=8,
    max_steps=o.steps,
    eval_strategy="steps",
    eval_steps=50,
    save_strategy="no",
    report_to=[],
    bf16=common.device == "cuda",
    auto_find_batch_size=o.finder,
    disable_tqdm=True,
)
trainer = Trainer(model=model, args=arguments, train_dataset=Texts(o.samples), eval_dataset=Texts(64))
trainer.train()
common.told("ran %d steps" % trainer.state.global_step, trainer._train_batch_size)
