import urllib.request
from urllib.request import Request, urlopen

import requests
from torch.utils.data import Dataset

TTS_URL = "http://localhost:8000/api"


class Nested(Dataset):
    def __getitem__(self, i):
        return urlopen(Request(TTS_URL, data=self.texts[i])).read()  # want SAT101 "synthesized"


class Named(Dataset):
    def __getitem__(self, i):
        request = urllib.request.Request(TTS_URL, data=self.texts[i])
        with urllib.request.urlopen(request, timeout=30) as answer:  # want SAT101 "synthesized"
            return answer.read()


class Deep(Dataset):
    def __getitem__(self, i):
        return self.speak(self.texts[i])

    def speak(self, text):
        request = Request("http://localhost/v1/audio/speech", data=text)
        return urlopen(request).read()  # want SAT101 "synthesized"


class Written(Dataset):
    def __getitem__(self, i):
        url = f"{self.server}/tts"
        return requests.post(url, json={"text": self.texts[i]}).content  # want SAT101 "synthesized"


class Pictures(Dataset):
    def __getitem__(self, i):
        request = Request("http://localhost/images", data=self.names[i])
        return urlopen(request).read()
