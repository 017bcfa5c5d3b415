from transformers import AutoTokenizer, BertTokenizer, Trainer

bert = BertTokenizer.from_pretrained("bert-base-uncased")
auto = AutoTokenizer.from_pretrained("org/model", use_fast=False)
Trainer().train()
