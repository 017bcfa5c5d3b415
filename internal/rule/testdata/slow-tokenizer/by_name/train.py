import argparse
import json

import lightning.pytorch as pl
import torch
import transformers


def load(model_type, tokenizer_name):
    model = transformers.AutoModelForSequenceClassification.from_pretrained(model_type)
    tokenizer = getattr(transformers, tokenizer_name).from_pretrained(model_type)  # want SAT112 "BertTokenizer is the slow Python tokenizer"
    return model, tokenizer


class Net(pl.LightningModule):
    def __init__(self, config):
        super().__init__()
        self.model, self.tokenizer = load(**config["arch"])

    def training_step(self, batch, index):
        return self.model(**batch).loss

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters())


def main(loader):
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", default="bert.json")
    config = json.load(open(parser.parse_args().config))
    pl.Trainer(precision="bf16-mixed").fit(Net(config), loader)
