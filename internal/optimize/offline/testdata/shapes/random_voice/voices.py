import random

from TTS.api import TTS


class Speaker:
    def __init__(self, names):
        self.names = names
        self.engine = TTS("vctk")

    def say(self, text):
        name = random.choice(self.names)
        if random.random() < 0.5:
            text = text.upper()
        return self.engine.tts(text=text, speaker=name)
