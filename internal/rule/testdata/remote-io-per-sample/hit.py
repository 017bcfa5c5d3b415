import io
import urllib.request

import boto3
import requests
import soundfile
from huggingface_hub import hf_hub_download
from torch.utils.data import Dataset, IterableDataset


class Clips(Dataset):
    def __init__(self, urls, keys):
        self.urls = urls
        self.keys = keys
        self.s3 = boto3.client("s3")
        self.session = requests.Session()

    def __getitem__(self, i):
        audio = self.fetch(self.urls[i])
        label = self.s3.get_object(Bucket="clips", Key=self.keys[i])  # want SAT102 "over the network"
        return soundfile.read(io.BytesIO(audio)), label

    def fetch(self, url):
        return self.session.get(url).content  # want SAT102 "over the network"

    def __len__(self):
        return len(self.urls)


class Stream(IterableDataset):
    def __init__(self, names):
        self.names = names

    def __iter__(self):
        for name in self.names:
            yield open(hf_hub_download("org/clips", name), "rb").read()  # want SAT102 "over the network"


class Images(Dataset):
    def __getitem__(self, i):
        where = self.places[i]
        if where.startswith("http"):
            return urllib.request.urlopen(where).read()  # want SAT102 "given as URLs"
        return open(where, "rb").read()

    def __len__(self):
        return len(self.places)
