"""The pipelines that saturate is measured against: threads read WAV files into pinned memory, copy to
the GPU on one stream and compute on another, FP16 comes back pinned and is written by threads."""
import os
import queue
import threading
import time

import numpy as np
import torch

BATCH = 128
HEADER = 44


def slaney(mels=80, n_fft=400, rate=16000):
    """The Slaney mel filters of openai-whisper."""
    def to_mel(f):
        return np.where(f < 1000, f * 3 / 200, 15 + 27 * np.log(np.maximum(f, 1e-9) / 1000) / np.log(6.4))

    def to_hertz(m):
        return np.where(m < 15, m * 200 / 3, 1000 * np.exp(np.log(6.4) / 27 * (m - 15)))
    edges = to_hertz(np.linspace(to_mel(np.array(0.0)), to_mel(np.array(rate / 2)), mels + 2))
    k = np.arange(n_fft // 2 + 1) * rate / n_fft
    up = (k - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
    down = (edges[2:, None] - k) / (edges[2:] - edges[1:-1])[:, None]
    return torch.tensor(np.maximum(0, np.minimum(up, down)) * (2 / (edges[2:] - edges[:-2]))[:, None], dtype=torch.float32)


def scaled(mel):
    log = mel.clamp(min=1e-10).log10()
    log = torch.maximum(log, log.amax(dim=(1, 2), keepdim=True) - 8)
    return ((log + 4) / 4).half()


def torch_stft(device):
    """As openai-whisper does it, for a batch."""
    bank, window = slaney().to(device), torch.hann_window(400, device=device)

    def features(pcm):
        spectrum = torch.stft(pcm.float() / 32768, 400, 160, window=window, return_complex=True)
        return scaled(bank @ spectrum[..., :-1].abs().square())
    return features


def torchaudio_mel(device):
    import torchaudio
    transform = torchaudio.transforms.MelSpectrogram(16000, 400, hop_length=160, n_mels=80, norm="slaney", mel_scale="slaney").to(device)

    def features(pcm):
        return scaled(transform(pcm.float() / 32768)[..., :-1])
    return features


def transformers_mel(device):
    """WhisperFeatureExtractor(device=...), which takes and gives arrays of the host."""
    from transformers import WhisperFeatureExtractor
    extractor = WhisperFeatureExtractor(feature_size=80)

    def features(pcm):
        arrays = list((pcm.float() / 32768).cpu().numpy())
        return torch.from_numpy(np.asarray(extractor(arrays, sampling_rate=16000, return_tensors="np", device=device).input_features)).half()
    return features


CONTESTANTS = [torch_stft, torchaudio_mel]


def read(path, row):
    """Samples of a WAV file into a row of pinned memory; the rest of the row is silence."""
    with open(path, "rb") as f:
        f.seek(HEADER)
        n = f.readinto(memoryview(row).cast("B")) // 2
    row[n:] = 0


def run(make, paths, seconds, output, device, threads, fresh):
    """Files a second, from files to one raw file of FP16 rows."""
    features = make(device)
    samples, frames = seconds * 16000, seconds * 100
    row_bytes = 80 * frames * 2
    gpu = device == "cuda"
    if fresh and os.path.exists(output):
        os.remove(output)
    fd = os.open(output, os.O_RDWR | os.O_CREAT)
    slots = 4
    pin = (lambda t: t.pin_memory()) if gpu else (lambda t: t)
    ins = [pin(torch.empty(BATCH, samples, dtype=torch.int16)) for _ in range(slots)]
    outs = [pin(torch.empty(BATCH, 80, frames, dtype=torch.float16)) for _ in range(slots)]
    views, rows = [t.numpy() for t in ins], [t.numpy() for t in outs]
    features(ins[0][:2].zero_().to(device))  # warm
    if gpu:
        features(ins[0].zero_().to(device))
        torch.cuda.synchronize()
        copying, computing = torch.cuda.Stream(), torch.cuda.Stream()

    free, loaded, finished = queue.Queue(), queue.Queue(), queue.Queue()
    for s in range(slots):
        free.put(s)
    tasks = queue.SimpleQueue()

    def worker():
        while True:
            task = tasks.get()
            if task is None:
                return
            work, done = task
            work()
            done()

    def counter(n, then):
        lock, left = threading.Lock(), [n]

        def one():
            with lock:
                left[0] -= 1
                if left[0]:
                    return
            then()
        return one
    batches = [paths[i:i + BATCH] for i in range(0, len(paths), BATCH)]

    def reader():
        for b, batch in enumerate(batches):
            s = free.get()
            done = counter(len(batch), lambda s=s, b=b: loaded.put((s, b)))
            for i, path in enumerate(batch):
                tasks.put((lambda p=path, s=s, i=i: read(p, views[s][i]), done))

    def writer():
        written = threading.Semaphore(0)
        for _ in batches:
            s, b, event = finished.get()
            if event is not None:
                event.synchronize()

            def end(s=s):
                free.put(s)
                written.release()
            done = counter(len(batches[b]), end)
            for i in range(len(batches[b])):
                tasks.put((lambda s=s, b=b, i=i: os.pwrite(fd, rows[s][i], (b * BATCH + i) * row_bytes), done))
        for _ in batches:
            written.acquire()
    start = time.perf_counter()
    pool = [threading.Thread(target=worker) for _ in range(threads)]
    ends = [threading.Thread(target=reader), threading.Thread(target=writer)]
    [t.start() for t in pool + ends]
    for _ in batches:
        s, b = loaded.get()
        n = len(batches[b])
        if not gpu:
            outs[s][:n] = features(ins[s][:n])
            finished.put((s, b, None))
            continue
        with torch.cuda.stream(copying):
            pcm = ins[s][:n].to(device, non_blocking=True)
        computing.wait_stream(copying)
        with torch.cuda.stream(computing):
            pcm.record_stream(computing)
            outs[s][:n].copy_(features(pcm), non_blocking=True)
            event = torch.cuda.Event(blocking=True)
            event.record()
        finished.put((s, b, event))
    [t.join() for t in ends]
    [tasks.put(None) for _ in pool]
    [t.join() for t in pool]
    took = time.perf_counter() - start
    os.close(fd)
    return len(paths) / took


def transformers_only(paths, device):
    """What the extractor does by itself, nothing read or written."""
    features = transformers_mel(device)
    pcm = torch.zeros(64, 480000, dtype=torch.int16)
    for i in range(64):
        read(paths[i % len(paths)], pcm[i].numpy())
    features(pcm[:2])
    start = time.perf_counter()
    for _ in range(0, len(paths), 64):
        features(pcm)
    return len(paths) / (time.perf_counter() - start)
