import io
import wave

from piper import PiperVoice


def say(word, voice_path):
    voice = PiperVoice.load(voice_path)  # want SAT106 "every sample"
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as handle:
        voice.synthesize(word, handle)
    return buffer.getvalue()


def said(word, voice):
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as handle:
        voice.synthesize(word, handle)
    return buffer.getvalue()
