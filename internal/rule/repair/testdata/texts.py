"""Texts that are tokenised one by one and padded to the longest that there could be."""
# repairs: SAT111 SAT113 SAT120
import torch
from datasets import Dataset as Rows
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from torch.utils.data import DataLoader, Dataset
from transformers import AutoTokenizer, PreTrainedTokenizerFast

WORDS = "[PAD] [UNK] [CLS] [SEP] a b c d e f g h".split()
TEXTS = ["a b c", "d", "e f g h a b c d e", "", "x y z"]
made = Tokenizer(models.WordLevel({w: i for i, w in enumerate(WORDS)}, unk_token="[UNK]"))
made.pre_tokenizer = pre_tokenizers.Whitespace()
made.post_processor = processors.TemplateProcessing("[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
PreTrainedTokenizerFast(tokenizer_object=made, pad_token="[PAD]", unk_token="[UNK]", model_max_length=128).save_pretrained("tokens")
tokenizer = AutoTokenizer.from_pretrained("tokens")


class Texts(Dataset):
    def __init__(self, texts, tokenizer):
        self.texts = texts
        self.tokenizer = tokenizer

    def __len__(self):
        return len(self.texts)

    def __getitem__(self, i):
        text = self.texts[i]
        ids = self.tokenizer(text, return_tensors="pt", truncation=True, max_length=6).input_ids[0]
        return {"text": text, "ids": ids}


def collate(rows):
    return [row["ids"].tolist() for row in rows], tokenizer([row["text"] for row in rows], padding="max_length", truncation=True, max_length=128, return_tensors="pt")


embed = torch.nn.Embedding(len(WORDS), 1, _weight=torch.arange(len(WORDS)).float()[:, None])
for ids, batch in DataLoader(Texts(TEXTS, tokenizer), batch_size=2, collate_fn=collate):
    print(ids, (embed(batch.input_ids)[..., 0] * batch.attention_mask).sum(1).tolist())

rows = Rows.from_dict({"text": TEXTS})
print(list(rows.map(lambda row: tokenizer(row["text"], truncation=True, max_length=5))))
