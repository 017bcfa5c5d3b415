import datasets
from datasets import load_dataset
from transformers import AutoTokenizer, Trainer

datasets.disable_caching()  # want SAT123 "again in every run"
tokenizer = AutoTokenizer.from_pretrained("gpt2")
data = load_dataset("imdb", split="train")
data = data.map(lambda rows: tokenizer(rows["text"]), batched=True, load_from_cache_file=False)  # want SAT123 "again in every run"
Trainer(train_dataset=data).train()
