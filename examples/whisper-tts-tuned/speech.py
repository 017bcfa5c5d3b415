"""Speaks a sentence: espeak-ng where it is installed, a small formant voice otherwise.

Both give 16-bit mono samples at 16 kHz, and the same text always gives the same samples.
"""

import io
import shutil
import subprocess
import wave
import zlib

import numpy as np

RATE = 16000  # what Whisper listens to


def speak(text, voice):
    """Returns the sentence as float32 samples in [-1, 1)."""
    engine = voice["engine"]
    if engine == "auto":
        engine = "espeak-ng" if shutil.which("espeak-ng") else "formant"
    pcm = {"espeak-ng": espeak, "formant": formant}[engine](text, voice)
    return pcm.astype(np.float32) / 32768


def espeak(text, voice):
    command = ["espeak-ng", "-v", voice["name"], "-s", str(voice["words_per_minute"]), "--stdin", "--stdout"]
    spoken = subprocess.run(command, input=text.encode(), stdout=subprocess.PIPE, check=True).stdout
    with wave.open(io.BytesIO(spoken)) as wav:
        rate = wav.getframerate()
        samples = np.frombuffer(wav.readframes(wav.getnframes()), dtype="<i2")
    return resample(samples, rate)


def resample(samples, rate):
    """Band-limited change of the sampling rate to RATE, over whole seconds, whose transforms have round sizes."""
    seconds = -(-len(samples) // rate)
    spectrum = np.fft.rfft(samples, seconds * rate)[: seconds * RATE // 2 + 1]
    resampled = np.fft.irfft(spectrum, seconds * RATE) * (RATE / rate)
    return to_pcm(resampled[: len(samples) * RATE // rate])


def to_pcm(samples):
    return np.clip(np.round(samples), -32768, 32767).astype(np.int16)


# --- the formant voice ---------------------------------------------------------------------

FRAME = 160  # samples between two settings of the vocal tract: 10 ms
WINDOW = 2 * FRAME
FFT = 512
BANDWIDTHS = np.array([70.0, 100.0, 150.0, 250.0, 300.0])

# phoneme: formants in Hz, loudness of the voice, of breath through the mouth and of friction,
# the friction's centre in Hz, length in ms
PHONEMES = {
    "a": ((730, 1090, 2440), 1.0, 0.0, 0.0, 0, 110),
    "ae": ((660, 1720, 2410), 1.0, 0.0, 0.0, 0, 110),
    "e": ((530, 1840, 2480), 1.0, 0.0, 0.0, 0, 85),
    "er": ((490, 1350, 1690), 0.9, 0.0, 0.0, 0, 110),
    "i": ((390, 1990, 2550), 0.9, 0.0, 0.0, 0, 75),
    "ii": ((270, 2290, 3010), 0.9, 0.0, 0.0, 0, 120),
    "o": ((570, 840, 2410), 1.0, 0.0, 0.0, 0, 100),
    "oo": ((440, 1020, 2240), 0.9, 0.0, 0.0, 0, 80),
    "u": ((640, 1190, 2390), 1.0, 0.0, 0.0, 0, 80),
    "uu": ((300, 870, 2240), 0.9, 0.0, 0.0, 0, 120),
    "l": ((360, 1300, 2600), 0.6, 0.0, 0.0, 0, 60),
    "r": ((420, 1300, 1600), 0.6, 0.0, 0.0, 0, 60),
    "w": ((290, 610, 2150), 0.6, 0.0, 0.0, 0, 60),
    "y": ((260, 2070, 3020), 0.6, 0.0, 0.0, 0, 55),
    "m": ((280, 900, 2200), 0.45, 0.0, 0.0, 0, 70),
    "n": ((280, 1700, 2600), 0.45, 0.0, 0.0, 0, 65),
    "ng": ((280, 2300, 2750), 0.45, 0.0, 0.0, 0, 80),
    "h": ((500, 1500, 2500), 0.0, 0.35, 0.0, 0, 60),
    "f": ((340, 1100, 2080), 0.0, 0.0, 0.12, 6500, 100),
    "v": ((220, 1100, 2080), 0.4, 0.0, 0.06, 6500, 60),
    "th": ((320, 1290, 2540), 0.0, 0.0, 0.08, 6000, 90),
    "dh": ((270, 1290, 2540), 0.4, 0.0, 0.04, 6000, 45),
    "s": ((320, 1390, 2530), 0.0, 0.0, 0.45, 5800, 100),
    "z": ((240, 1390, 2530), 0.35, 0.0, 0.25, 5800, 75),
    "sh": ((300, 1840, 2750), 0.0, 0.0, 0.45, 3200, 110),
    "zh": ((300, 1840, 2750), 0.35, 0.0, 0.25, 3200, 75),
    # stops are a closure (written with a capital) and a burst
    "P": ((400, 1100, 2150), 0.0, 0.0, 0.0, 0, 65),
    "p": ((400, 1100, 2150), 0.0, 0.25, 0.15, 1200, 25),
    "B": ((200, 1100, 2150), 0.15, 0.0, 0.0, 0, 55),
    "b": ((200, 1100, 2150), 0.3, 0.05, 0.08, 1200, 12),
    "T": ((400, 1600, 2600), 0.0, 0.0, 0.0, 0, 55),
    "t": ((400, 1600, 2600), 0.0, 0.2, 0.4, 4500, 30),
    "D": ((200, 1600, 2600), 0.15, 0.0, 0.0, 0, 45),
    "d": ((200, 1600, 2600), 0.3, 0.05, 0.2, 4500, 14),
    "K": ((300, 1990, 2850), 0.0, 0.0, 0.0, 0, 60),
    "k": ((300, 1990, 2850), 0.0, 0.25, 0.3, 2200, 35),
    "G": ((200, 1990, 2850), 0.15, 0.0, 0.0, 0, 50),
    "g": ((200, 1990, 2850), 0.3, 0.05, 0.15, 2200, 20),
    ",": ((500, 1500, 2500), 0.0, 0.0, 0.0, 0, 180),
    ".": ((500, 1500, 2500), 0.0, 0.0, 0.0, 0, 250),
}

# spelling, longest first: how English letters mostly sound
SPELLING = {
    "ough": "o uu", "eigh": "e i", "igh": "a i", "tch": "T t sh", "dge": "D d zh", "air": "e er",
    "ear": "i er", "eer": "i er", "our": "a uu er", "tion": "sh u n", "sion": "zh u n", "ture": "T t sh er",
    "th": "th", "sh": "sh", "ch": "T t sh", "ph": "f", "wh": "w", "ck": "K k", "qu": "K k w", "ng": "ng",
    "kn": "n", "wr": "r", "gh": "", "ee": "ii", "ea": "ii", "ie": "ii", "ei": "e i", "ai": "e i", "ay": "e i",
    "oa": "o uu", "oo": "uu", "ou": "a uu", "ow": "o uu", "oi": "o i", "oy": "o i", "au": "o", "aw": "o",
    "ew": "y uu", "ue": "uu", "ar": "a r", "er": "er", "ir": "er", "or": "o r", "ur": "er",
    "ll": "l", "ss": "s", "tt": "T t", "pp": "P p", "ff": "f", "mm": "m", "nn": "n", "rr": "r", "dd": "D d",
    "bb": "B b", "gg": "G g", "zz": "z", "cc": "K k", "ce": "s", "ci": "s i", "cy": "s ii", "ge": "D d zh",
    "a": "ae", "b": "B b", "c": "K k", "d": "D d", "e": "e", "f": "f", "g": "G g", "h": "h", "i": "i",
    "j": "D d zh", "k": "K k", "l": "l", "m": "m", "n": "n", "o": "o", "p": "P p", "q": "K k", "r": "r",
    "s": "s", "t": "T t", "u": "u", "v": "v", "w": "w", "x": "K k s", "y": "ii", "z": "z",
}  # fmt: skip
WHOLE_WORDS = {
    "the": "dh u", "a": "u", "of": "o v", "to": "T t uu", "is": "i z", "was": "w o z", "i": "a i", "you": "y uu",
    "they": "dh e i", "there": "dh e er", "this": "dh i s", "that": "dh ae T t", "he": "h ii", "she": "sh ii",
    "we": "w ii", "have": "h ae v", "are": "a r", "one": "w u n", "two": "T t uu", "who": "h uu", "what": "w o T t",
}  # fmt: skip


def formant(text, voice):
    """Source and filter: glottal pulses and noise through moving resonances."""
    noise = np.random.default_rng(zlib.crc32(text.encode()))
    tracks = articulate(text, voice["words_per_minute"])
    pitch = intonation(len(tracks["voice"]), tracks["voice"] > 0.5, voice["pitch_hz"], text.rstrip().endswith("?"))
    count = len(pitch) * FRAME

    pulses = glottal_pulses(per_sample(pitch, count))
    hiss = noise.standard_normal(count)
    source = pulses * per_sample(tracks["voice"], count) + 0.05 * hiss * per_sample(tracks["breath"], count)
    friction = 0.04 * hiss * per_sample(tracks["friction"], count)

    speech = resonate(source, tracks["formants"], BANDWIDTHS)
    speech += resonate(friction, tracks["centre"][:, None], np.array([1200.0]))
    return to_pcm(speech * (22000 / max(1e-9, np.abs(speech).max())))


def phonemes_of(text):
    phonemes = []
    for word in text.lower().replace("'", "").split():
        letters = word.strip(",.?!;:")
        phonemes += WHOLE_WORDS[letters].split() if letters in WHOLE_WORDS else spell(letters)
        if word[-1] in ",;:":
            phonemes.append(",")
    return phonemes + ["."]


def spell(word):
    phonemes = []
    if len(word) > 3 and word.endswith("e") and word[-2] not in "aeiou":
        word = word[:-1] + ("s" if word[-2:] == "ce" else "")  # a silent e
    at = 0
    while at < len(word):
        for length in (4, 3, 2, 1):
            part = word[at : at + length]
            if part in SPELLING:
                phonemes += SPELLING[part].split()
                break
        at += max(1, len(part))
    return phonemes


def articulate(text, words_per_minute):
    """One row per frame: where the resonances are, and how loud each source is."""
    rows = []
    for phoneme in phonemes_of(text):
        formants, voiced, breath, friction, centre, ms = PHONEMES[phoneme]
        frames = max(1, round(ms * 165 / words_per_minute * RATE / 1000 / FRAME))
        rows += [(*formants, 3500, 4500, voiced, breath, friction, centre or 4000)] * frames
    table = np.array(rows, dtype=np.float64)
    return {
        "formants": smooth(table[:, :5], 5),
        "voice": smooth(table[:, 5], 3),
        "breath": table[:, 6],
        "friction": table[:, 7],
        "centre": table[:, 8],
    }


def smooth(track, frames):
    """The mouth moves from one phoneme to the next; it does not jump."""
    kernel = np.hanning(frames + 2)[1:-1]
    kernel /= kernel.sum()
    padded = np.pad(track, [(frames // 2, frames // 2)] + [(0, 0)] * (track.ndim - 1), mode="edge")
    if track.ndim == 1:
        return np.convolve(padded, kernel, mode="valid")
    return np.stack([np.convolve(column, kernel, mode="valid") for column in padded.T], axis=1)


def intonation(frames, voiced, pitch, question):
    """The pitch falls through a sentence, rises a little on stressed vowels, and at the end of a question."""
    at = np.linspace(0, 1, frames)
    contour = pitch * (1.12 - 0.24 * at + 0.06 * smooth(voiced.astype(float), 15))
    contour *= 1 + 0.008 * np.sin(2 * np.pi * 5.5 * np.arange(frames) * FRAME / RATE)
    if question:
        contour *= 1 + 0.35 * np.clip((at - 0.8) / 0.2, 0, 1)
    return contour


def per_sample(track, count):
    return np.interp(np.arange(count) / FRAME, np.arange(len(track)), track)


def glottal_pulses(pitch):
    """Rosenberg's pulse, differentiated as the lips do."""
    phase = np.cumsum(pitch / RATE) % 1
    opening = 0.5 * (1 - np.cos(np.pi * phase / 0.45))
    closing = np.cos(0.5 * np.pi * (phase - 0.45) / 0.05)
    flow = np.where(phase < 0.45, opening, np.where(phase < 0.5, closing, 0))
    return np.diff(flow, prepend=flow[:1])


def resonate(source, centres, bandwidths):
    """Filters the source frame by frame (overlap and add), with the resonances of that frame in series."""
    frames = len(centres)
    pieces = np.lib.stride_tricks.sliding_window_view(np.pad(source, (FRAME // 2, WINDOW)), WINDOW)[::FRAME][:frames]
    spectra = np.fft.rfft(pieces * np.hanning(WINDOW + 1)[:-1], FFT)
    z = np.exp(-2j * np.pi * np.arange(FFT // 2 + 1) / FFT)
    for centre, r in zip(centres.T, np.exp(-np.pi * bandwidths / RATE)):
        turn = (2 * r * np.cos(2 * np.pi * centre / RATE))[:, None]
        spectra *= (1 - turn + r * r) / (1 - turn * z + r * r * z * z)
    filtered = np.fft.irfft(spectra, FFT)
    out = np.zeros(frames * FRAME + FFT)
    for frame in range(frames):
        out[frame * FRAME : frame * FRAME + FFT] += filtered[frame]
    return out[: frames * FRAME]
