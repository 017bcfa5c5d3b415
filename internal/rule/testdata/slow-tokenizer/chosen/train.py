from transformers import AutoConfig, AutoTokenizer, Trainer, TrainingArguments

config = AutoConfig.from_pretrained("org/model")
some = AutoTokenizer.from_pretrained("org/model", use_fast=False if config.model_type == "llama" else True)  # want SAT112 "for some models"
all_ = AutoTokenizer.from_pretrained("org/model", use_fast=True)

some("a text")
all_("a text")
Trainer(args=TrainingArguments("out")).train()
