import librosa
import numpy as np
from datasets import load_dataset
from transformers import Seq2SeqTrainer, WhisperFeatureExtractor, WhisperForConditionalGeneration


class Preparer:
    def __init__(self, extractor, louder=False):
        self.extractor = extractor
        self.louder = louder

    def __call__(self, rows):
        features = []
        for path in rows["path"]:
            wav, _ = librosa.load(path, sr=16000)
            if self.louder:
                wav = wav * np.random.uniform(0.7, 1.3)
            features.append(self.extractor(wav, sampling_rate=16000).input_features[0])  # want SAT126 "after a random change"
        return {"input_features": features}


extractor = WhisperFeatureExtractor.from_pretrained("openai/whisper-small")
data = load_dataset("json", data_files="train.jsonl")["train"].with_transform(Preparer(extractor, louder=True))
model = WhisperForConditionalGeneration.from_pretrained("openai/whisper-small")
Seq2SeqTrainer(model=model, train_dataset=data).train()
