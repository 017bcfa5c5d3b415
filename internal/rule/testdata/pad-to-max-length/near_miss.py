from datasets import load_dataset
from transformers import AutoTokenizer, WhisperFeatureExtractor

tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
extractor = WhisperFeatureExtractor.from_pretrained("openai/whisper-small")


def tokenize(rows, pad):
    a = tokenizer(rows["text"], truncation=True)
    b = tokenizer(rows["title"], padding="max_length", max_length=32)
    c = tokenizer(rows["body"], padding="max_length" if pad else False, max_length=512)
    d = extractor(rows["audio"], padding="max_length")
    return a, b, c, d


data = load_dataset("imdb").map(tokenize, batched=True)


def predict(text):
    return tokenizer(text, padding="max_length", max_length=512)
