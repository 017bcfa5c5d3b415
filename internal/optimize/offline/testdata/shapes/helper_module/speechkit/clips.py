import numpy as np

from . import voices


def clip_of(text, language):
    """Samples between -1 and 1, and how many of them a second has."""
    pcm, rate = trimmed(text.strip(), language)
    return pcm.astype(np.float32) / 32768, rate


def trimmed(text, language):
    pcm, rate = voices.speak(text, language)
    return pcm[: rate * 2], rate
