from datasets import load_dataset
from transformers import Trainer


def main(args):
    data = load_dataset("imdb", split="train")
    data = data.map(len, load_from_cache_file=not args.overwrite)
    data = data.map(len, load_from_cache_file=True)
    data = data.map(len)
    eval_data = data.map(len, load_from_cache_file=False)
    Trainer(train_dataset=data, eval_dataset=eval_data).train()
