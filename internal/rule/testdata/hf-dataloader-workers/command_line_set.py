"""The program itself sees to workers."""
import librosa
from torch.utils.data import Dataset
from transformers import HfArgumentParser, Seq2SeqTrainer, Seq2SeqTrainingArguments


class Speech(Dataset):
    def __getitem__(self, i):
        return librosa.load(self.files[i], sr=16000)

    def __len__(self):
        return len(self.files)


def main(model):
    parser = HfArgumentParser(Seq2SeqTrainingArguments)
    (training_args,) = parser.parse_args_into_dataclasses()
    training_args.dataloader_num_workers = 4
    Seq2SeqTrainer(model=model, args=training_args, train_dataset=Speech()).train()
