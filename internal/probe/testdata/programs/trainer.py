"""A Hugging Face Trainer."""

import tempfile

from planted import BATCH, STEPS, Model, Optimizer, Samples, collate, work
from transformers import Trainer, TrainerCallback, TrainingArguments


class Between(TrainerCallback):
    def on_step_end(self, *args, **kwargs):
        work("between")


model = Model()
arguments = TrainingArguments(
    output_dir=tempfile.mkdtemp(),
    per_device_train_batch_size=BATCH,
    max_steps=STEPS,
    eval_strategy="steps",
    eval_steps=STEPS // 2,
    save_strategy="no",
    logging_steps=1000,
    report_to=[],
    use_cpu=True,
    disable_tqdm=True,
    max_grad_norm=0,
    remove_unused_columns=False,
    dataloader_pin_memory=False,
)
Trainer(
    model=model,
    args=arguments,
    data_collator=collate,
    train_dataset=Samples(STEPS),
    eval_dataset=Samples(1),
    callbacks=[Between()],
    optimizers=(Optimizer(model.parameters(), lr=0.01), None),
).train()
