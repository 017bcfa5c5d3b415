"""What is known of the process, its versions, its data and its batches. Nothing here imports a library."""

import os
import sys
import weakref

from .workers import made

loaders = []  # one dict for each data loader that was used, in the order of their first use
_seen = weakref.WeakKeyDictionary()  # the record of each loader
extra = {}  # what others found out: parameters, compiled, accumulation …

_PACKAGES = ("torch", "jax", "numpy", "transformers", "lightning", "pytorch_lightning", "accelerate", "triton", "deepspeed")


def rank():
    distributed = _distributed()
    if distributed is not None:
        return distributed.get_rank()
    return _variable("RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK")


def world():
    distributed = _distributed()
    if distributed is not None:
        return distributed.get_world_size()
    return max(1, _variable("WORLD_SIZE", "SLURM_NTASKS", "OMPI_COMM_WORLD_SIZE"))


def _distributed():
    module = sys.modules.get("torch.distributed")
    try:
        if module is not None and module.is_available() and module.is_initialized():
            return module
    except Exception:
        pass
    return None


def _variable(*names):
    for name in names:
        value = os.environ.get(name, "")
        if value.isdigit():
            return int(value)
    return 0


def of_process():
    told = {"rank": rank(), "world": world(), "versions": _versions(), "loaders": loaders}
    told["versions"]["python"] = "%d.%d.%d" % sys.version_info[:3]
    if made()["samples"]:
        told["in_process"] = made()
    gpus = _gpus()
    if gpus:
        told["gpus"] = gpus
    told.update(extra)
    return told


def _versions():
    found = {}
    for name in _PACKAGES:
        version = getattr(sys.modules.get(name), "__version__", None)
        if version:
            found[name] = str(version)
    return found


def _gpus():
    """The devices that the program uses; asking must not initialize them."""
    torch = sys.modules.get("torch")
    cuda = getattr(torch, "cuda", None)
    if cuda is None or not cuda.is_initialized():
        return []
    found = []
    for i in range(cuda.device_count()):
        p = cuda.get_device_properties(i)
        gpu = {"name": p.name, "memory_bytes": p.total_memory}
        hip = getattr(torch.version, "hip", None)
        gpu["backend"] = "rocm" if hip else "cuda"
        gpu["architecture"] = getattr(p, "gcnArchName", "").split(":")[0] if hip else "sm_%d%d" % (p.major, p.minor)
        found.append(gpu)
    return found


def of_loader(loader):
    """Remembers how a data loader that begins an epoch is set up."""
    told = _seen.get(loader)
    if told is None:
        told = _setup(loader)
        told = next((known for known in loaders if {**known, "epochs": 0} == told), told)  # made again for each epoch
        _seen[loader] = told
        if told not in loaders and len(loaders) < 16:
            loaders.append(told)
    told["epochs"] += 1


def _setup(loader):
    told = {
        "epochs": 0,
        "workers": loader.num_workers,
        "pin_memory": bool(loader.pin_memory),
        "persistent_workers": bool(getattr(loader, "persistent_workers", False)),
        "dataset": type(loader.dataset).__name__,
    }
    batch = loader.batch_size or getattr(loader.batch_sampler, "batch_size", None)  # Accelerate's loaders leave it to the sampler
    if isinstance(batch, int):
        told["batch_size"] = batch
    if loader.prefetch_factor is not None:
        told["prefetch_factor"] = loader.prefetch_factor
    for name, of in (("samples", loader.dataset), ("batches", loader)):
        try:
            told[name] = len(of)
        except Exception:
            pass  # a stream does not know its length
    return told


def of_batch(batch):
    """Samples, tokens and elements of a batch."""
    sizes = [_listed(batch), 0]
    _walk(batch, sizes, 3)
    return (sizes[0], _tokens(batch), sizes[1])


def _listed(batch):
    """Samples of a batch that holds lists of them, one entry each: ([image, …], [target, …]); 0 for any other batch."""
    if not (isinstance(batch, (list, tuple)) and batch and all(isinstance(part, (list, tuple)) for part in batch)):
        return 0
    count = len(batch[0])
    if not count or any(len(part) != count for part in batch):
        return 0
    items = [item for part in batch for item in part[:64]]
    first = {tuple(item.shape[:1]) for item in items if getattr(item, "shape", None) is not None}
    return count if len(first) > 1 or first == {()} or any(isinstance(item, dict) for item in items) else 0  # collated tensors begin alike


def _walk(value, sizes, depth):
    shape = getattr(value, "shape", None)
    if shape is not None:
        count = 1
        for n in shape:
            count *= n
        if not sizes[0] and len(shape):
            sizes[0] = int(shape[0])
        sizes[1] += int(count)
    elif depth and hasattr(value, "values") and hasattr(value, "keys"):
        for item in value.values():
            _walk(item, sizes, depth - 1)
    elif depth and isinstance(value, (list, tuple)):
        if value and isinstance(value[0], (str, bytes, int, float)):
            sizes[0] = sizes[0] or len(value)
        else:
            for item in value[:64]:
                _walk(item, sizes, depth - 1)


_FEW = 1 << 20  # counting more than this is no longer free


def _tokens(batch):
    """Tokens that are not padding, where the batch says so and still lies on the host."""
    if not (hasattr(batch, "keys") and hasattr(batch, "get")):
        return 0
    try:
        mask = batch.get("attention_mask")
        if _countable(mask):
            return int(mask.sum())
        labels = batch.get("labels")
        if _countable(labels) and labels.dim() == 2:
            return int((labels != -100).sum())
        ids = batch.get("input_ids")
        return int(ids.numel()) if _countable(ids) else 0
    except Exception:
        return 0


def _countable(tensor):
    return getattr(tensor, "is_cpu", False) and not tensor.is_floating_point() and tensor.numel() <= _FEW
