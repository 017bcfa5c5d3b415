from torch.utils.data import DataLoader
from transformers import BertTokenizer

tokenizer = BertTokenizer.from_pretrained("bert-base-uncased")


def collate(rows):
    return tokenizer([row["text"] for row in rows], padding=True)


loader = DataLoader([], collate_fn=collate)
