"""Its trainer derives from one that came with a star."""

from model import Net
from trainer import PairTrainer
from transformers import TrainingArguments


def main(data):
    trainer = PairTrainer(model=Net(512), args=TrainingArguments("out", bf16=True, dataloader_num_workers=4), train_dataset=data)
    trainer.train()


if __name__ == "__main__":
    main([])
