import torch
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments


class Tokens(Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, i):
        return {"input_ids": torch.arange(8) + i % 8, "labels": torch.tensor(i % 2)}


def main():
    config = BertConfig(vocab_size=32, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32, max_position_embeddings=16)
    args = TrainingArguments("out", per_device_train_batch_size=4, max_steps=12, report_to=[], save_strategy="no", use_cpu=not torch.cuda.is_available(), disable_tqdm=True)
    Trainer(model=BertForSequenceClassification(config), args=args, train_dataset=Tokens()).train()


if __name__ == "__main__":
    main()
