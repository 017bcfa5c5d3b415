import subprocess

import whisper
from pydub import AudioSegment
from torch.utils.data import DataLoader, Dataset


def convert(path):
    subprocess.run(["ffmpeg", "-i", path, "-ar", "16000", "out.wav"], check=True)  # want SAT103 "started for every sample"
    return "out.wav"


class Speech(Dataset):
    def __init__(self, files):
        self.files = files

    def __getitem__(self, i):
        audio = whisper.load_audio(self.files[i])  # want SAT103 "started"
        clip = AudioSegment.from_file(self.files[i])  # want SAT103 "started"
        return audio, clip, convert(self.files[i])

    def __len__(self):
        return len(self.files)


def collate(batch):
    return [subprocess.check_output(["sox", path]) for path in batch]  # want SAT103 "started"


loader = DataLoader(Speech([]), collate_fn=collate)
