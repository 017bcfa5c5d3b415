"""What a value looks like: for each array in it the hash of its bytes, its shape, type and statistics.

Values that were rounded otherwise have other hashes. So each array of numbers also has a sketch: sums of its values with
fixed weights. Two arrays that differ by d at each place, on average, have sketches that differ by about d.
"""

import math
import sys
from functools import lru_cache
from hashlib import blake2b

SKETCH = 8  # sums
DEEPEST = 6  # tuples in dictionaries in tuples …
MOST = 64  # fields
PART = 1 << 15  # values that are looked at together: they fit into the cache of a core
ROW = 1 << 12  # values of which each has weights of its own
LEFT_OUT = -100  # the label that the losses of torch leave out


def of(value):
    """A list of fields, each a dictionary."""
    fields = []
    _walk(value, "", fields, DEEPEST)
    return fields


def without(unwanted, value):
    """The same value with None where something is not wanted."""
    if unwanted(value):
        return None
    if isinstance(value, dict):
        return {key: without(unwanted, item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [without(unwanted, item) for item in value]
    return value


def _walk(value, name, fields, depth):
    if len(fields) >= MOST or value is None:
        return
    array = _array(value)
    if array is not None:
        fields.append({"field": name, **_measure(*array)})
    elif isinstance(value, (bool, int, float, complex, str, bytes)):
        fields.append({"field": name, "hash": _hash(repr(value).encode()), "dtype": type(value).__name__, "value": repr(value)[:60],
                       **({"mean": float(value)} if type(value) in (int, float) and math.isfinite(value) else {})})
    elif depth and hasattr(value, "keys") and hasattr(value, "__getitem__"):  # dictionaries, and what wraps them
        for key in list(value.keys())[:MOST]:
            _walk(value[key], _join(name, key), fields, depth - 1)
    elif depth and isinstance(value, (list, tuple)):
        if len(value) > 8 and all(isinstance(item, (int, float, str, bytes)) for item in value):
            fields.append({"field": name, "hash": _hash(repr(value).encode()), "dtype": type(value).__name__, "shape": [len(value)], "value": repr(value)[:60]})
            return
        for at, item in enumerate(value[:MOST]):
            _walk(item, _join(name, at), fields, depth - 1)
    elif hasattr(value, "tobytes") and hasattr(value, "size") and not callable(value.size):  # an image
        fields.append({"field": name, "hash": _hash(value.tobytes()), "dtype": type(value).__name__, "shape": list(value.size)})
    elif depth and isinstance(getattr(value, "__dict__", None), dict) and not callable(value):
        for key, item in list(value.__dict__.items())[:MOST]:
            _walk(item, _join(name, key), fields, depth - 1)


def _join(name, key):
    return "%s.%s" % (name, key) if name else str(key)


def _hash(data):
    return blake2b(data, digest_size=8).hexdigest()


def _array(value):
    """An array of numpy's, and what its type was; None for anything else."""
    numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        kind, tensor = str(value.dtype).replace("torch.", ""), value.detach()
        if tensor.layout is not torch.strided or tensor.is_quantized:
            tensor = tensor.to_dense() if tensor.layout is not torch.strided else tensor.dequantize()
        if tensor.dtype is torch.bfloat16 or kind.startswith("float8"):
            tensor = tensor.float()
        tensor = tensor.cpu().contiguous()
        try:
            return tensor.numpy(), kind
        except RuntimeError:  # a torch without numpy
            return None
    if numpy is None:
        return None
    if isinstance(value, (numpy.ndarray, numpy.generic)):
        return numpy.asarray(value), str(value.dtype)
    if hasattr(value, "dtype") and hasattr(value, "__array__") and hasattr(value, "shape"):
        array = numpy.asarray(value)
        return (array.astype("float32") if array.dtype.kind == "V" or str(array.dtype) == "bfloat16" else array), str(value.dtype)
    return None


def _measure(array, kind):
    import numpy

    array = numpy.ascontiguousarray(array)
    flat = array.reshape(-1)
    out = {"hash": _digest(kind.encode() + repr(array.shape).encode(), flat), "dtype": kind, "shape": list(array.shape)}
    if array.size == 0 or array.dtype.kind not in "biuf":
        return out
    if array.dtype.kind == "i" and array.ndim:
        bare = _unpadded(array)
        if bare.shape != array.shape:
            out["unpadded"] = _digest(kind.encode() + repr(bare.shape).encode(), numpy.ascontiguousarray(bare).reshape(-1))
    if flat.size <= 4:
        out["value"] = ", ".join("%.6g" % value for value in flat.tolist())
    with numpy.errstate(all="ignore"):
        out.update(_statistics(numpy, flat))
    return out


def _unpadded(array):
    """Labels without the places at the end of all rows that the loss leaves out; of labels in one row, without all of those."""
    if array.ndim == 1:
        return array[array != LEFT_OUT]
    used = (array != LEFT_OUT).reshape(-1, array.shape[-1]).any(axis=0).nonzero()[0]
    return array[..., : int(used[-1]) + 1 if used.size else 0]


def _digest(head, flat):
    digest = blake2b(head, digest_size=8)
    try:
        digest.update(flat.view("uint8"))
    except (TypeError, ValueError):  # of objects
        digest.update(flat.tobytes())
    return digest.hexdigest()


def _statistics(numpy, flat):
    """Mean, deviation, extremes and sketch, a part at a time: copies of a large array would take longer than its sums.

    No product of matrices: its threads would wait for those of the program, which do not sleep between two samples."""
    rows = []  # what the sketch is made of: the values, or sums of many
    bad, total, squares, least, most, near = 0, 0.0, 0.0, math.inf, -math.inf, None
    for at in range(0, flat.size, PART):
        part = flat[at : at + PART].astype(numpy.float64)
        low, high = float(part.min()), float(part.max())
        if not (math.isfinite(low) and math.isfinite(high)):
            finite = numpy.isfinite(part)
            bad += int(part.size - finite.sum())
            part = numpy.where(finite, part, 0.0)
            low, high = float(part.min()), float(part.max())
        near = float(part[0]) if near is None else near  # sums of squares of what is far from 0 would lose digits
        least, most = min(least, low), max(most, high)
        rows.append(part if flat.size <= ROW else _rows(numpy, part))
        part = part - near
        total, squares = total + float(part.sum()), squares + float((part * part).sum())
    mean, rows = total / flat.size, numpy.concatenate(rows)
    sketch = (_weights(rows.size) * rows).sum(axis=1) / math.sqrt(flat.size)
    out = {"mean": near + mean, "std": math.sqrt(max(0.0, squares / flat.size - mean * mean)), "min": least, "max": most}
    out = {name: value for name, value in out.items() if math.isfinite(value)}  # sums of the largest numbers overflow
    return {**({"bad": bad} if bad else {}), **out, "sketch": numpy.nan_to_num(sketch).tolist()}


def _rows(numpy, part):
    """The sums of parts of an array, with weights."""
    if part.size % ROW:
        part = numpy.pad(part, (0, -part.size % ROW))
    return (part.reshape(-1, ROW) * _signs()).sum(axis=1)


@lru_cache(maxsize=4)
def _weights(size):
    import numpy

    return numpy.random.RandomState(size % 2**32).standard_normal((SKETCH, size))


@lru_cache(maxsize=1)
def _signs():
    import numpy

    return numpy.random.RandomState(1).choice((-1.0, 1.0), ROW)
