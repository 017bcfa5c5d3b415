from datasets import Audio, load_dataset

from features import log_mel


def transform(rows):
    rows["input"] = [log_mel(a["array"]) for a in rows["audio"]]
    return rows


data = load_dataset("org/clips", split="train").cast_column("audio", Audio(16000))
data.set_transform(transform)
