"""Reads outputs by the emitted module, in 8 worker processes, and by the libraries that people have.

Arguments: the folder of the package saturate_gpu; standard input: [{path, to, layout, rows: [{path, text, sha256}]}].
"""
import hashlib
import io
import json
import multiprocessing
import os
import sys
import tarfile

import h5py
import numpy as np
import pyarrow.parquet
import torch

sys.path.insert(0, sys.argv[1])
from saturate_gpu.mel import MelDataset


def sha(mel):
    mel = np.ascontiguousarray(mel)
    assert mel.dtype == np.float16, mel.dtype
    return hashlib.sha256(mel.tobytes()).hexdigest()


def ragged(flat, offset, frames, bands):
    return [flat[o:o + bands * n].reshape(bands, n) for o, n in zip(offset, frames)]


def by_hdf5(out):
    with h5py.File(out["path"], "r", libver="latest", swmr=True) as f:
        valid, paths = f["valid"][:], [p.decode() for p in f["path"][:]]
        mel = f["mel"][:]
        if out["layout"] == "ragged":
            mel = ragged(mel, f["offset"][:], f["frames"][:], int(f.attrs["n_mels"]))
        assert f.attrs["scaling"] == "whisper"
    return [(p, sha(m)) for p, m, v in zip(paths, mel, valid) if v]


def by_npy(out):
    load = lambda name: np.load(os.path.join(out["path"], name + ".npy"), mmap_mode="r")
    mel = load("mel")
    with open(os.path.join(out["path"], "rows.jsonl")) as f:
        paths = [json.loads(line)["path"] for line in f]
    if out["layout"] == "ragged":
        mel = ragged(mel, load("offset"), load("frames"), 80)
    return [(p, sha(m)) for p, m, v in zip(paths, mel, load("valid")) if v]


def by_parquet(out):
    table = pyarrow.parquet.read_table(out["path"])
    names = table.column("path").to_pylist()
    assert json.loads(table.schema.metadata[b"saturate"])["scaling"] == "whisper"
    rows = []
    for i, valid in enumerate(table.column("valid").to_pylist()):
        if valid:
            bands = table.column("mel")[i].values
            flat = bands.flatten().to_numpy(zero_copy_only=False)
            rows.append((names[i], sha(flat.reshape(len(bands), -1))))
    return rows


def by_webdataset(out):
    rows = []
    for name in sorted(os.listdir(out["path"])):
        if name.endswith(".tar"):
            with tarfile.open(os.path.join(out["path"], name)) as archive:
                members = archive.getmembers()
                for npy, text in zip(members[::2], members[1::2]):
                    assert npy.name[:-4] == text.name[:-5], (npy.name, text.name)
                    mel = np.load(io.BytesIO(archive.extractfile(npy).read()))
                    rows.append((json.load(archive.extractfile(text))["path"], sha(mel)))
    return rows


def some(argument):
    """One of 8 processes with the file open at the same time."""
    path, worker = argument
    with h5py.File(path, "r") as f:
        return [(int(i), hashlib.sha256(f["mel"][i].tobytes()).hexdigest()) for i in range(worker, len(f["mel"]), 8)]


def main():
    report = []
    for out in json.load(sys.stdin):
        want = [(r["path"], r["sha256"]) for r in out["rows"]]
        library = globals()["by_" + out["to"]](out)
        if library != want:
            report.append(f"{out['to']} {out['layout']}: the library reads other rows: {len(library)}, want {len(want)}")
        data = MelDataset(out["path"])
        loader = torch.utils.data.DataLoader(data, batch_size=None, num_workers=8)
        got = [(s["path"], sha(s["mel"].numpy())) for s in loader]
        if got != want:
            report.append(f"{out['to']} {out['layout']}: the module reads other rows: {len(got)}, want {len(want)}")
        texts = [s["text"] for s in MelDataset(out["path"], columns=["text"])]
        if texts != [r["text"] for r in out["rows"]]:
            report.append(f"{out['to']} {out['layout']}: other texts: {texts[:3]}")
        whole = MelDataset(out["path"], columns=[], frames=50)
        batch = next(iter(torch.utils.data.DataLoader(whole, batch_size=4)))["mel"]
        if batch.shape != (4, 80, 50) or batch.dtype != torch.float16:
            report.append(f"{out['to']} {out['layout']}: a batch of {batch.shape} {batch.dtype}")
        if out["to"] == "hdf5" and out["layout"] == "fixed":
            with multiprocessing.Pool(8) as pool:
                rows = dict(sum(pool.map(some, [(out["path"], i) for i in range(8)]), []))
            with h5py.File(out["path"]) as f:
                valid = np.flatnonzero(f["valid"][:])
            if [rows[int(i)] for i in valid] != [r["sha256"] for r in out["rows"]]:
                report.append("8 processes read other rows by h5py")
    print(json.dumps(report))


if __name__ == "__main__":
    main()
