from datasets import load_dataset

data = load_dataset("mozilla-foundation/common_voice_11_0", "sv", split="train")
splits = load_dataset("glue", "rte")
stream = load_dataset("glue", "rte", split="train", streaming=True)

first = data["audio"][0]
rows = len(data["sentence"])
for i in range(10):
    print(splits["train"]["sentence1"][i])

whole = data["sentence"]
row = data[0]["audio"]
part = data[:10]["audio"][0]
split = splits["train"][0]
sampled = data[0]["audio"]["array"]
streamed = stream["label"][0]
