import librosa
from datasets import Audio, load_dataset
from transformers import WhisperFeatureExtractor, WhisperTokenizer

extractor = WhisperFeatureExtractor.from_pretrained("openai/whisper-small")
tokenizer = WhisperTokenizer.from_pretrained("openai/whisper-small")
data = load_dataset("mozilla-foundation/common_voice_11_0", "hi", split="train")
data = data.cast_column("audio", Audio(sampling_rate=16000))


def prepare(row):
    audio = row["audio"]
    row["input_features"] = extractor(audio["array"], sampling_rate=16000).input_features[0]
    row["labels"] = tokenizer(row["sentence"]).input_ids
    return row


def load(row):
    row["audio"], _ = librosa.load(row["path"], sr=16000)
    return row


a = data.map(prepare, remove_columns=data.column_names)  # want SAT121 "one process prepares"
b = data.map(prepare, num_proc=1)  # want SAT121 "one process"
c = data.map(load)  # want SAT121 "one process"
