from datasets import load_dataset

data = load_dataset("mozilla-foundation/common_voice_11_0", "sv", split="train")
splits = load_dataset("glue", "rte")

first = data["audio"][0]  # want SAT122 "for one value"
rows = len(data["sentence"])  # want SAT122 "to count its rows"
for i in range(10):
    print(splits["train"]["sentence1"][i])  # want SAT122 "for one value"

whole = data["sentence"]
row = data[0]["audio"]
part = data[:10]["audio"][0]
split = splits["train"][0]
sampled = data[0]["audio"]["array"]
