# Compiled without dynamic shapes, lengths must not change.
import torch
from datasets import load_dataset
from transformers import AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
data = load_dataset("imdb").map(lambda rows: tokenizer(rows["text"], padding="max_length", max_length=512), batched=True)
model = torch.compile(torch.nn.Linear(2, 2))
