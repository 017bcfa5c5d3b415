from datasets import disable_caching, load_dataset
from transformers import Trainer

disable_caching()


def load(streaming=True):
    return load_dataset("imdb", split="train", streaming=streaming)


Trainer(train_dataset=load(streaming=True)).train()
