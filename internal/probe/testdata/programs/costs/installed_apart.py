"""A data set whose costly work is done by a package that was installed with pip install --target."""

import os
import pathlib
import sys

apart = pathlib.Path(os.environ["HAND"]).parent
(apart / "warp-1.0.dist-info").mkdir()
(apart / "warp.py").write_text("def warp(n):\n    total = 0\n    for k in range(12000):\n        total += (k ^ n) & 255\n    return total\n")
sys.path.insert(1, str(apart))

import torch  # noqa: E402
import warp  # noqa: E402
from hand import asked, tell, timed, train  # noqa: E402
from torch.utils.data import DataLoader, Dataset  # noqa: E402


class Images(Dataset):
    def __len__(self):
        return 100_000

    @timed("function")
    def rescale(self, index):
        return torch.full((8,), float(warp.warp(index) % 7))

    def __getitem__(self, index):
        return self.rescale(index)


train(asked(DataLoader(Images(), batch_size=4)))
tell()
