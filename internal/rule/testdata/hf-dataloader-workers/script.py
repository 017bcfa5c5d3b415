"""A script without a main guard, which spawned workers would run again."""
import librosa
from torch.utils.data import Dataset
from transformers import AutoModelForSpeechSeq2Seq, Seq2SeqTrainer, Seq2SeqTrainingArguments


class Speech(Dataset):
    def __len__(self):
        return 100

    def __getitem__(self, i):
        return librosa.load(f"{i}.wav", sr=16000)[0]


training_args = Seq2SeqTrainingArguments("out", bf16=True)  # want SAT704 "in the main process"
model = AutoModelForSpeechSeq2Seq.from_pretrained("openai/whisper-small")
Seq2SeqTrainer(model=model, args=training_args, train_dataset=Speech()).train()
