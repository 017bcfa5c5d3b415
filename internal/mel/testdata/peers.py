"""Features of clips by other implementations, for peers_test.go.

Reads a JSON list of {"in": float32 file, "out": prefix, "mels": n, "length": samples} from standard
input. Each clip is padded or cut to length; every implementation writes float32 to prefix + its
name, and the names are printed as JSON. Also writes the filter bank of each number of mels.
"""
import json
import sys

import numpy as np
import torch
from transformers import WhisperFeatureExtractor

torch.set_num_threads(1)


def openai(x, filters):
    """log_mel_spectrogram of openai-whisper, whose asset is these filters in float32."""
    stft = torch.stft(x, 400, 160, window=torch.hann_window(400), return_complex=True)
    magnitudes = stft[..., :-1].abs() ** 2
    mel = filters @ magnitudes
    log = torch.clamp(mel, min=1e-10).log10()
    log = torch.maximum(log, log.max() - 8.0)
    return ((log + 4.0) / 4.0).numpy()


extractors = {}
done = []
for clip in json.load(sys.stdin):
    mels = clip["mels"]
    if mels not in extractors:
        extractors[mels] = WhisperFeatureExtractor(feature_size=mels)
    hf = extractors[mels]
    filters = np.ascontiguousarray(hf.mel_filters.T.astype(np.float32))
    filters.tofile(clip["out"] + "filters")
    x = np.fromfile(clip["in"], dtype=np.float32)[: clip["length"]]
    x = np.pad(x, (0, clip["length"] - len(x)))
    results = {"hf-numpy": hf._np_extract_fbank_features(x[None], "cpu")[0]}
    if len(x) > 200:  # torch cannot reflect more than there is
        results["hf-torch"] = hf._torch_extract_fbank_features(x[None], "cpu")[0]
        results["openai"] = openai(torch.from_numpy(x), torch.from_numpy(filters))
    if clip["length"] == 480000:
        results["hf-call"] = hf(x, sampling_rate=16000, return_tensors="np")["input_features"][0]
    for name, value in results.items():
        np.ascontiguousarray(value, dtype=np.float32).tofile(clip["out"] + name)
    done.append(sorted(results))
json.dump(done, sys.stdout)
