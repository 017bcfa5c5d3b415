from transformers import AutoTokenizer, BertTokenizerFast, Trainer, Wav2Vec2CTCTokenizer

KINDS = {"fast": BertTokenizerFast}


def load(name, use_fast):
    return AutoTokenizer.from_pretrained(name, use_fast=use_fast)


fast = BertTokenizerFast.from_pretrained("bert-base-uncased")
auto = AutoTokenizer.from_pretrained("gpt2")
ctc = Wav2Vec2CTCTokenizer.from_pretrained("facebook/wav2vec2-base")
Trainer().train()
