"""Prints what HDF5 files hold: each data set's shape and a checksum of its values, and the attributes.

    read.py h5py|pyfive FILE…
"""
import importlib
import sys
import zlib

import numpy as np

reader = importlib.import_module(sys.argv[1])
for name in sys.argv[2:]:
    file = reader.File(name)
    for key in file:
        values = np.asarray(file[key][()])
        if values.dtype.kind in "OSU":
            data = b"".join((v if isinstance(v, bytes) else str(v).encode()) + b"\n" for v in values)
        else:
            data = values.reshape(-1).astype(">f8").tobytes()
        print(name, key, list(values.shape), format(zlib.crc32(data), "x"))
    for key, value in file.attrs.items():
        print(name, "@" + key, value.decode() if isinstance(value, bytes) else value)
