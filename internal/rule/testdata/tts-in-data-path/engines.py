import asyncio
import os
import subprocess

import edge_tts
import pyttsx3
import requests
from gtts import gTTS
from openai import OpenAI
from torch.utils.data import DataLoader, Dataset, IterableDataset
from transformers import pipeline
from TTS.api import TTS


class Spoken(Dataset):
    def __init__(self, texts, engine):
        self.texts = texts
        self.tts = TTS("tts_models/en/ljspeech/vits")
        self.client = OpenAI()
        self.engine = engine
        self.speak = pipeline("text-to-speech", model="suno/bark")

    def __getitem__(self, i):
        text = self.texts[i]
        gTTS(text=text, lang="en").save("a.mp3")  # want SAT101 "synthesized while"
        voice = gTTS(text)
        voice.write_to_fp(open("b.mp3", "wb"))  # want SAT101 "synthesized"
        self.tts.tts_to_file(text, file_path="c.wav")  # want SAT101 "synthesized"
        self.client.audio.speech.create(model="tts-1", voice="alloy", input=text)  # want SAT101 "synthesized"
        self.engine.save_to_file(text, "d.wav")  # want SAT101 "synthesized"
        subprocess.run(["espeak-ng", "-w", "e.wav", text])  # want SAT101 "synthesized"
        os.system(f"espeak -w f.wav '{text}'")  # want SAT101 "synthesized"
        requests.post("http://localhost:5002/api/tts", json={"text": text})  # want SAT101 "synthesized"
        asyncio.run(edge_tts.Communicate(text, "en-US-AriaNeural").save("g.mp3"))  # want SAT101 "synthesized"
        subprocess.run(["ffmpeg", "-i", "e.wav", "e.mp3"])
        requests.get("http://localhost/audio/1.wav")
        return self.speak(text)  # want SAT101 "synthesized"

    def __len__(self):
        return len(self.texts)


class Stream(IterableDataset):
    def __iter__(self):
        for text in open("texts.txt"):
            if not os.path.exists(text):
                gTTS(text).save(text)  # want SAT101 "first epoch"
            yield text


def collate(batch):
    return [gTTS(x).save("x.mp3") for x in batch]  # want SAT101 "synthesized"


loader = DataLoader(Spoken([], pyttsx3.init()), collate_fn=lambda batch: collate(batch))
