import numpy as np

from fake_speech import as_wav, speak


class TTS:
    def __init__(self, model_name):
        self.model_name = model_name

    def tts(self, text, speaker="p225"):
        return speak(text, self.model_name + speaker).astype(np.float32)

    def tts_to_file(self, text, file_path, speaker="p225"):
        with open(file_path, "wb") as file:
            file.write(as_wav(speak(text, self.model_name + speaker)))
        return file_path
