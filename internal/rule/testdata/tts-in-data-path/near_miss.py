from gtts import gTTS
from torch.utils.data import Dataset


class Spoken(Dataset):
    def __init__(self, texts):
        self.files = [self.speak(i, t) for i, t in enumerate(texts)]

    def speak(self, i, text):
        gTTS(text).save(f"{i}.mp3")
        return f"{i}.mp3"

    def __getitem__(self, i):
        return self.files[i]

    def __len__(self):
        return len(self.files)


def demo(text):
    gTTS(text).save("demo.mp3")
