"""What h5py finds in the files named on the command line, as JSON for h5py_test.go."""
import hashlib
import json
import sys

import h5py
import numpy as np


def attributes(of):
    out = {}
    for name, value in of.attrs.items():
        out[name] = repr(float(value)) if isinstance(value, np.floating) else str(value)
    assert len(of.attrs) == len(out)
    return out


def contents(path, swmr):
    found = {"attributes": {}, "datasets": {}}
    with h5py.File(path, "r", swmr=swmr) as f:
        found["attributes"] = attributes(f)
        for name, d in f.items():
            if h5py.check_string_dtype(d.dtype):
                assert h5py.check_string_dtype(d.dtype).encoding == "utf-8"
                kind, data = "string", "\n".join(d.asstr()[:]).encode()
            else:
                kind, data = d.dtype.name, d[:].tobytes()
            found["datasets"][name] = {
                "type": kind, "dims": list(d.shape), "sha256": hashlib.sha256(data).hexdigest(),
                "offset": d.id.get_offset() or 0, "attributes": attributes(d),
            }
    return found


answers = []
for path in sys.argv[1:]:
    answer = contents(path, False)
    assert contents(path, True) == answer
    answers.append(answer)
json.dump(answers, sys.stdout)
