"""The peers: each function takes a clip as float32 and a number of bands, and gives a function that
computes the features of that clip once, and the package whose version counts.

As a program it serves one peer: a line {"mels": 80, "seconds": 0.5} on standard input is answered
by a line of CPU times in milliseconds; "out" names a file for the features.
"""
import json
import sys
import time

import numpy as np


def openai_whisper(x, mels):
    import torch, whisper.audio
    x = torch.from_numpy(x)
    return (lambda: whisper.audio.log_mel_spectrogram(x, n_mels=mels)), "openai-whisper"


def lhotse(x, mels):
    from lhotse.features.whisper_fbank import WhisperFbank, WhisperFbankConfig
    bank = WhisperFbank(WhisperFbankConfig(num_filters=mels))
    return (lambda: bank.extract(x, 16000).T), "lhotse"


def torchaudio(x, mels):
    import torch, torchaudio
    x = torch.from_numpy(x)
    spectrogram = torchaudio.transforms.MelSpectrogram(
        16000, n_fft=400, hop_length=160, n_mels=mels, f_min=0, f_max=8000, power=2, norm="slaney", mel_scale="slaney")

    def features():
        log = torch.clamp(spectrogram(x)[..., :-1], min=1e-10).log10()
        return (torch.maximum(log, log.max() - 8) + 4) / 4

    return features, "torchaudio"


def hf_torch(x, mels):
    from transformers import WhisperFeatureExtractor
    hf = WhisperFeatureExtractor(feature_size=mels)
    return (lambda: hf._torch_extract_fbank_features(x[None], "cpu")[0]), "transformers"


def hf_numpy(x, mels):
    from transformers import WhisperFeatureExtractor
    hf = WhisperFeatureExtractor(feature_size=mels)
    return (lambda: hf._np_extract_fbank_features(x[None], "cpu")[0]), "transformers"


def hf_call(x, mels):
    from transformers import WhisperFeatureExtractor
    hf = WhisperFeatureExtractor(feature_size=mels)
    return (lambda: hf(x, sampling_rate=16000, return_tensors="np")["input_features"][0]), "transformers"


def faster_whisper(x, mels):
    from faster_whisper.feature_extractor import FeatureExtractor
    extractor = FeatureExtractor(feature_size=mels)
    return (lambda: extractor(x, padding=0)[:, :3000]), "faster-whisper"


def librosa(x, mels):
    import librosa

    def features():
        mel = librosa.feature.melspectrogram(
            y=x, sr=16000, n_fft=400, hop_length=160, pad_mode="reflect", n_mels=mels, fmin=0, fmax=8000)
        log = np.log10(np.maximum(mel[:, :-1], 1e-10))
        return (np.maximum(log, log.max() - 8) + 4) / 4

    return features, "librosa"


def kaldi_native_fbank(x, mels):
    import kaldi_native_fbank as knf
    options = knf.WhisperFeatureOptions()
    options.dim = mels
    samples = x.tolist()

    def features():
        online = knf.OnlineWhisperFbank(options)
        online.accept_waveform(16000, samples)
        online.input_finished()
        mel = np.stack([online.get_frame(i) for i in range(online.num_frames_ready)]).T
        log = np.log10(np.maximum(mel, 1e-10))
        return (np.maximum(log, log.max() - 8) + 4) / 4

    return features, "kaldi-native-fbank"


def dali(x, mels):
    from nvidia.dali import fn, math, pipeline_def, types

    window = (0.5 - 0.5 * np.cos(2 * np.pi * np.arange(400) / 400)).astype(np.float32).tolist()

    @pipeline_def(batch_size=1, num_threads=1, device_id=None, prefetch_queue_depth=1, exec_pipelined=False, exec_async=False)
    def pipeline():
        audio = fn.external_source(source=lambda: [x], dtype=types.FLOAT, ndim=1)
        spectrum = fn.spectrogram(
            audio, nfft=400, window_length=400, window_step=160, window_fn=window, power=2, center_windows=True, reflect_padding=True)
        mel = fn.mel_filter_bank(
            spectrum, sample_rate=16000, nfilter=mels, freq_low=0, freq_high=8000, normalize=True, mel_formula="slaney")
        log = fn.to_decibels(mel[:, :-1], multiplier=1.0, reference=1.0, cutoff_db=-10)
        return (math.max(log, fn.reductions.max(log) - 8.0) + 4.0) / 4.0

    built = pipeline()
    built.build()
    return (lambda: built.run()[0].as_array()[0]), "nvidia-dali-cuda120"


PEERS = [
    openai_whisper, lhotse, torchaudio, hf_torch, hf_numpy, hf_call, faster_whisper, librosa, kaldi_native_fbank, dali,
]

# What cannot be measured here, and why.
SKIPPED = {"whisper.cpp": "its Python packages need a model file, which PyPI does not hold, before they compute features"}


def serve(name, clip):
    from importlib.metadata import version
    x = np.fromfile(clip, dtype=np.int16).astype(np.float32) / 32768
    make = {p.__name__: p for p in PEERS}[name]
    if "torch" in name or name in ("openai_whisper", "lhotse", "hf_call"):
        import torch
        torch.set_num_threads(1)
    made = {}
    for line in sys.stdin:
        job = json.loads(line)
        if job["mels"] not in made:
            made[job["mels"]] = make(x, job["mels"])
        features, package = made[job["mels"]]
        if "out" in job:
            np.ascontiguousarray(np.asarray(features()), dtype=np.float32).tofile(job["out"])
        times = []
        stop = time.process_time() + job["seconds"]
        while len(times) < 2 or time.process_time() < stop:
            start = time.process_time()
            features()
            times.append(1000 * (time.process_time() - start))
        print(json.dumps({"ms": times, "version": package + " " + version(package)}), flush=True)


if __name__ == "__main__":
    serve(sys.argv[1], sys.argv[2])
