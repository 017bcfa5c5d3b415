from datasets import load_dataset, load_from_disk
from transformers import Trainer


def prepared(folder):
    if folder is not None:
        if folder.is_dir():
            return load_from_disk(folder)
    data = load_dataset("imdb", split="train")
    data = data.map(len, load_from_cache_file=False)
    data.save_to_disk(folder)
    return data


def main(args):
    Trainer(train_dataset=prepared(args.folder)).train()
