try:
    from transformers import RobertaTokenizer
except ImportError:
    from transformers.tokenization_roberta import RobertaTokenizer
from transformers import ElectraTokenizer


def tokenizer_of(name):
    if "roberta" in name:
        return RobertaTokenizer.from_pretrained(name)  # want SAT112 "RobertaTokenizer is the slow"
    return ElectraTokenizer.from_pretrained(name)  # want SAT112 "ElectraTokenizer is the slow"


class Encoder:
    def __init__(self, name):
        self.tokenizer = tokenizer_of(name)

    def ids(self, text):
        return self.tokenizer.encode(text)
