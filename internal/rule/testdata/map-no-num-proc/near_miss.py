from datasets import load_dataset
from transformers import WhisperFeatureExtractor

extractor = WhisperFeatureExtractor.from_pretrained("openai/whisper-small")
data = load_dataset("org/clips", split="train")
stream = load_dataset("org/clips", split="train", streaming=True)


def prepare(row):
    row["input_features"] = extractor(row["audio"]["array"]).input_features[0]
    return row


def build(args):
    if args.streaming:
        return data.map(prepare)
    return data.map(prepare, num_proc=args.workers)


a = data.map(prepare, num_proc=4)
b = stream.map(prepare)
c = data.map(lambda row: {"length": len(row["text"])})
eval_data = data.map(prepare)
