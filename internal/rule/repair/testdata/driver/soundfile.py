"""Stands in for soundfile, as far as it is called here: reads WAV files of 16 bits, whole or in part."""
import wave

import numpy as np


def read(file, frames=-1, start=0, stop=None, dtype="float64", always_2d=False):
    if frames >= 0 and stop is not None:
        raise TypeError("Only one of {frames, stop} may be used")
    with wave.open(file) as f:
        length, channels, rate = f.getnframes(), f.getnchannels(), f.getframerate()
        start = max(start + length, 0) if start < 0 else min(start, length)
        end = length if stop is None else stop
        if frames >= 0:
            end = start + frames
        f.setpos(start)
        data = np.frombuffer(f.readframes(max(min(end, length) - start, 0)), np.int16).astype(dtype) / 32768
    data = data.reshape(-1, channels)
    return (data if channels > 1 or always_2d else data[:, 0]), rate
