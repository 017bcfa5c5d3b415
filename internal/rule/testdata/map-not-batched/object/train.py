from datasets import load_dataset
from prompts import Encoder
from transformers import AutoModelForCausalLM, AutoTokenizer, Trainer

tokenizer = AutoTokenizer.from_pretrained("gpt2")
data = load_dataset("json", data_files="tickets.jsonl")["train"]
data = data.map(Encoder(tokenizer))  # want SAT120 "one row at a time"
Trainer(model=AutoModelForCausalLM.from_pretrained("gpt2"), train_dataset=data).train()
