import librosa
from torch.utils.data import Dataset
from transformers import Trainer, TrainingArguments


class Speech(Dataset):
    def __init__(self, files):
        self.files = files

    def __getitem__(self, i):
        return librosa.load(self.files[i], sr=16000)[0]


def main(model, files, workers):
    four = TrainingArguments("out", dataloader_num_workers=4)
    asked = TrainingArguments("out", dataloader_num_workers=workers)
    Trainer(model=model, args=four, train_dataset=Speech(files)).train()
    return asked
