from transformers import AutoTokenizer, Trainer

tokenizer = AutoTokenizer.from_pretrained("some/model", use_fast=False, trust_remote_code=True)  # want SAT112 "a tokenizer of its own"
Trainer(train_dataset=tokenizer(["a text"])).train()
