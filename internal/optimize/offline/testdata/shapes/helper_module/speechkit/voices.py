import io
import wave

import numpy as np
from gtts import gTTS


def speak(text, language):
    return decode(recorded(text, language))


def recorded(text, language):
    buffer = io.BytesIO()
    gTTS(text, lang=language).write_to_fp(buffer)
    buffer.seek(0)
    return buffer


def decode(buffer):
    with wave.open(buffer) as file:
        return np.frombuffer(file.readframes(file.getnframes()), dtype="<i2"), file.getframerate()
