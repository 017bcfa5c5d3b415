import torch
from TTS.api import TTS

engine = TTS("tts_models/en/vctk/vits")


def speak_all(texts):
    return [torch.tensor(engine.tts(text=text, speaker="p225")) for text in texts]


def prepare(batch):
    return {"audio": speak_all(batch["text"]), "label": [len(text) for text in batch["text"]]}


class Table:
    """Columns, and a transform that is called with the rows of a batch, as the Dataset of Hugging Face does."""

    def __init__(self, columns):
        self.columns, self.transform = columns, None

    def set_transform(self, transform):
        self.transform = transform

    def __len__(self):
        return len(self.columns["text"])

    def __getitems__(self, indices):
        batch = self.transform({name: [column[i] for i in indices] for name, column in self.columns.items()})
        return list(zip(batch["audio"], batch["label"]))

    def __getitem__(self, index):
        return self.__getitems__([index])[0]


def make_dataset(texts):
    table = Table({"text": texts})
    table.set_transform(prepare)
    return table
