"""Compares a data set with what Hugging Face's extractor and openai-whisper's formula give for its files.

Arguments: the HDF5 file, the folder of its inputs. Prints {name: [largest difference, mean difference]}.
"""
import json
import os
import sys
import wave

import h5py
import numpy as np
import torch
from transformers import WhisperFeatureExtractor

torch.set_num_threads(1)
hf = WhisperFeatureExtractor(feature_size=80)
filters = torch.from_numpy(np.asarray(hf.mel_filters, dtype=np.float32).T.copy())


def openai(x):
    """whisper.audio.log_mel_spectrogram, with the filters that both have."""
    x = torch.nn.functional.pad(torch.from_numpy(x), (0, 480000 - len(x)))[:480000]
    power = torch.stft(x, 400, 160, window=torch.hann_window(400), return_complex=True)[..., :-1].abs() ** 2
    log = torch.clamp(filters @ power, min=1e-10).log10()
    return ((torch.maximum(log, log.max() - 8) + 4) / 4).numpy()


differences = {"openai-whisper": [], "WhisperFeatureExtractor": []}
with h5py.File(sys.argv[1]) as f:
    for row, path in enumerate(f["path"][:]):
        if not f["valid"][row] or f["sample_rate"][row] != 16000:
            continue
        with wave.open(os.path.join(sys.argv[2], path.decode())) as w:
            x = np.frombuffer(w.readframes(w.getnframes()), np.int16).astype(np.float32) / 32768
        got = f["mel"][row].astype(np.float32)
        differences["openai-whisper"].append(np.abs(got - openai(x[:480000])))
        want = hf(x, sampling_rate=16000, return_tensors="np")["input_features"][0]
        differences["WhisperFeatureExtractor"].append(np.abs(got - want))
print(json.dumps({k: [float(np.max(v)), float(np.mean(v))] for k, v in differences.items()}))
