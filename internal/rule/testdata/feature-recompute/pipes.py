from functools import partial

import torch
import torchaudio
from torch import nn
from torch.utils.data import DataLoader, IterDataPipe, functional_datapipe
from torch.utils.data.datapipes.iter import Mapper


@functional_datapipe("map_ignore_error")
class MapperIgnoreError(Mapper):
    def __iter__(self):
        for item in self.datapipe:
            try:
                yield self._apply_fn(item)
            except Exception:
                pass


class Source(IterDataPipe):
    def __init__(self, files):
        self.files = files

    def __iter__(self):
        yield from self.files


def decode(name):
    wave, rate = torchaudio.load(name)
    return wave


def fbank(wave, bins=80):
    return torchaudio.compliance.kaldi.fbank(wave, num_mel_bins=bins)  # want SAT104 "same features"


def build(files, conf):
    if conf.get("short"):
        data = Source(files[:100])
    else:
        data = Source(files)
    dataset = data.map_ignore_error(decode)
    if conf.get("shuffle", True):
        dataset = dataset.shuffle()
    dataset = dataset.map(partial(fbank, bins=40))
    return dataset


loader = DataLoader(build(open("list.txt").read().split(), {}), batch_size=16, num_workers=4)
model = nn.Linear(40, 10).cuda()
optimizer = torch.optim.AdamW(model.parameters(), fused=True)
for x in loader:
    loss = model(x.cuda(non_blocking=True)).mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
