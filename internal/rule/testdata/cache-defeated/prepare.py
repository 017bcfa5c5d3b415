# Preparing the data is the whole point of this file.
from datasets import load_dataset

load_dataset("imdb").map(len, load_from_cache_file=False).save_to_disk("imdb")
