"""Stands for an engine: the same text and voice always give the same samples.

Each call is noted in $SPEECH_LOG. When that file has $SPEECH_KILLS_AT bytes, the engine kills its process group.
"""

import io
import os
import signal
import wave
import zlib

import numpy as np


def speak(text, voice, rate=8000):
    if os.environ.get("SPEECH_LOG"):
        with open(os.environ["SPEECH_LOG"], "a") as log:
            log.write(f"{voice}\t{text}\n")
            log.flush()
            if log.tell() >= int(os.environ.get("SPEECH_KILLS_AT", "1000000000")):
                os.killpg(0, signal.SIGKILL)
    noise = np.random.RandomState(zlib.crc32(f"{text}/{voice}".encode()))
    time = np.arange(rate // 4 + 40 * len(text)) / rate
    return 0.4 * np.sin(2 * np.pi * (120 + zlib.crc32(voice.encode()) % 80) * time) + 0.05 * noise.randn(len(time))


def as_wav(samples, rate=8000):
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setparams((1, 2, rate, 0, "NONE", ""))
        file.writeframes((samples * 20000).astype("<i2").tobytes())
    return out.getvalue()
