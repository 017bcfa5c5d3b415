import yaml
import librosa
from torch.utils.data import Dataset
from transformers import Seq2SeqTrainer, Seq2SeqTrainingArguments, WhisperFeatureExtractor


class Speech(Dataset):
    def __init__(self, files):
        self.files = files
        self.extractor = WhisperFeatureExtractor()

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        audio, rate = librosa.load(self.files[i], sr=16000)
        return self.extractor(audio, sampling_rate=rate)


def main(model, files):
    with open("config.yaml") as f:
        config = yaml.safe_load(f)
    args = Seq2SeqTrainingArguments(**config["training"])  # want SAT704 "in the main process"
    Seq2SeqTrainer(model=model, args=args, train_dataset=Speech(files)).train()
