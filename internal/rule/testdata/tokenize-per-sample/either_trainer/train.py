import sys

from torch.utils.data import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, Seq2SeqTrainer, Trainer


class Chats(Dataset):
    def __init__(self, chats, tokenizer, system):
        self.chats, self.tokenizer, self.system = chats, tokenizer, system

    def __len__(self):
        return len(self.chats)

    def __getitem__(self, i):
        ids = []
        if self.system is not None:
            ids = self.tokenizer.encode(self.system + self.chats[i]["title"])  # want SAT111 "tokenized one by one in every epoch"
        for turn in self.chats[i]["turns"]:
            ids += self.tokenizer.encode(turn, add_special_tokens=False)  # told SAT111 "and here"
        return {"input_ids": ids}


def make_trainer(name, chats):
    tokenizer = AutoTokenizer.from_pretrained(name)
    model = AutoModelForCausalLM.from_pretrained(name)
    data = Chats(chats, tokenizer, sys.argv[2])
    if "t5" in name:
        trainer = Seq2SeqTrainer(model=model, train_dataset=data)
    else:
        trainer = Trainer(model=model, train_dataset=data)
    return trainer


def main(chats):
    trainer = make_trainer(sys.argv[1], chats)
    trainer.train()
