import transformers
from transformers import AutoTokenizer, BertTokenizer, Trainer, TrainingArguments

bert = BertTokenizer.from_pretrained("bert-base-uncased")  # want SAT112 "BertTokenizer is the slow Python tokenizer"
gpt = transformers.GPT2Tokenizer.from_pretrained("gpt2")  # want SAT112 "GPT2Tokenizer is the slow"
auto = AutoTokenizer.from_pretrained("org/model", use_fast=False)  # want SAT112 "the slow Python tokenizer is used"

bert("a text")
gpt("a text")
auto("a text")
Trainer(args=TrainingArguments("out")).train()
