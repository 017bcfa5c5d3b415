import librosa
from torch.utils.data import Dataset
from transformers import HfArgumentParser, Seq2SeqTrainer, Seq2SeqTrainingArguments


class Speech(Dataset):
    def __init__(self, files):
        self.files = files

    def __getitem__(self, i):
        return librosa.load(self.files[i], sr=16000)

    def __len__(self):
        return len(self.files)


def main(model, files):
    parser = HfArgumentParser(Seq2SeqTrainingArguments)  # want SAT704 "unless you pass --dataloader_num_workers"
    (training_args,) = parser.parse_args_into_dataclasses()
    Seq2SeqTrainer(model=model, args=training_args, train_dataset=Speech(files)).train()
