"""A torch without a computer behind it: the names, states and refusals of the real one, for devices that are not here.

FAKE_TORCH names the device: h200, a100, t4, mi300x, mi250 or m3. What reads an environment variable in the
real torch reads it here too.
"""

import contextlib
import os
import sys
import types

DEVICES = {
    "h200": dict(version="2.11.0+cu130", cuda="13.0", name="NVIDIA H200", cc=(9, 0), total=150_121 << 20, free=149_400 << 20, cudnn=91501),
    "a100": dict(version="2.9.1+cu128", cuda="12.8", name="NVIDIA A100-SXM4-80GB", cc=(8, 0), total=81_151 << 20, free=80_700 << 20, cudnn=91002),
    "t4": dict(version="2.6.0+cu124", cuda="12.4", name="Tesla T4", cc=(7, 5), total=14_918 << 20, free=6_120 << 20, cudnn=90100),
    "mi300x": dict(version="2.9.1+rocm7.0", hip="7.0.51831-a3e329ad8", name="AMD Instinct MI300X", gfx="gfx942:sramecc+:xnack-", total=196_592 << 20, free=196_000 << 20),
    "mi250": dict(version="2.6.0+rocm6.2.4", hip="6.2.41134-65d174c3e", name="AMD Instinct MI250X", gfx="gfx90a:sramecc+:xnack-", total=65_520 << 20, free=65_000 << 20),
    "m3": dict(version="2.9.1", name="Apple M3 Max", total=0, free=0, mps=27_648 << 20),
}
device = DEVICES[os.environ["FAKE_TORCH"]]
__version__ = device["version"]


class State:
    """Takes any name, as torch.backends.cudnn does; only some are read by anybody."""


def module(name, **fields):
    made = types.ModuleType("torch." + name)
    made.__dict__.update(fields)
    sys.modules["torch." + name] = made
    parent, _, last = ("torch." + name).rpartition(".")
    setattr(sys.modules[parent], last, made)
    return made


class Strict:
    """Refuses names that it does not know, as torch.backends.cuda.matmul does."""

    def __init__(self, **fields):
        self.__dict__.update(fields)

    def __setattr__(self, name, value):
        if name not in self.__dict__:
            raise AttributeError("Unknown attribute " + name)
        self.__dict__[name] = value


class Enum(str):
    pass


def setter(state, key, names=None):
    """A function that sets with an argument and tells without one."""

    def call(value=None):
        if value is not None:
            state[key] = Enum(names[value]) if names and not isinstance(value, Enum) else value
        return state[key]

    return call


def toggle(state, key):
    return lambda value: state.__setitem__(key, value), lambda: state[key]


def allocator_settings():
    settings = {"expandable_segments": False, "garbage_collection_threshold": 0.0, "pinned_use_cuda_host_register": False}
    for part in os.environ.get("PYTORCH_CUDA_ALLOC_CONF", "").split(","):
        key, _, value = part.partition(":")
        if key in settings:
            settings[key] = value == "True" if isinstance(settings[key], bool) else float(value)
    return {"segments": [], "allocator_settings": settings}


version = module("version", cuda=device.get("cuda"), hip=device.get("hip"))
backends = module("backends")
cudnn = module("backends.cudnn", benchmark=False, benchmark_limit=10, allow_tf32=True, version=lambda: device.get("cudnn"),
               conv=Strict(fp32_precision="tf32"), rnn=Strict(fp32_precision="tf32"))
state = dict(flash=True, efficient=True, cudnn=True, math=True, blas=Enum("_BlasBackend.Cublas"), attention=Enum("_ROCmFABackend.Default"))
blas = module("backends.cuda", matmul=Strict(allow_tf32=False, allow_fp16_accumulation=False, fp32_precision="none"))
for key, name in (("flash", "flash"), ("efficient", "mem_efficient"), ("cudnn", "cudnn"), ("math", "math")):
    put, get = toggle(state, key)
    setattr(blas, "enable_%s_sdp" % name, put)
    setattr(blas, "%s_sdp_enabled" % name, get)
blas.preferred_blas_library = setter(state, "blas", {"hipblaslt": "_BlasBackend.Cublaslt", "hipblas": "_BlasBackend.Cublas"})
blas.preferred_rocm_fa_library = setter(state, "attention", {"ck": "_ROCmFABackend.Ck", "default": "_ROCmFABackend.Default"})
module("backends.miopen", immediate=False)
module("backends.mps", is_available=lambda: "mps" in device, get_name=lambda: device["name"])
module("mps", recommended_max_memory=lambda: device["mps"])


def properties(index):
    major, minor = device.get("cc", (9, 4))
    return types.SimpleNamespace(name=device["name"], major=major, minor=minor, total_memory=device["total"], multi_processor_count=1,
                                 **({"gcnArchName": device["gfx"]} if "gfx" in device else {}))


cuda = module("cuda", is_available=lambda: "mps" not in device, device_count=lambda: 1, get_device_properties=properties,
              mem_get_info=lambda index: (device["free"], device["total"]),
              get_allocator_backend=lambda: "cudaMallocAsync" if "backend:cudaMallocAsync" in os.environ.get("PYTORCH_CUDA_ALLOC_CONF", "") else "native")
module("cuda.memory", _snapshot=allocator_settings)
module("cuda.tunable", is_enabled=lambda: os.environ.get("PYTORCH_TUNABLEOP_ENABLED") == "1", get_results=lambda: ())


peak = [0]


def product(kind):
    """Takes the workspace that the environment asks for, as the real one does."""

    def call(*tensors):
        lt = os.environ.get("HIPBLASLT_WORKSPACE_SIZE" if device.get("hip") else "CUBLASLT_WORKSPACE_SIZE", "1024")
        _, kib, count = os.environ.get("CUBLAS_WORKSPACE_CONFIG", ":4096:2").split(":")
        peak[0] = int(lt) << 10 if kind == "lt" else int(kib) * int(count) << 10

    return call


addmm, mm, ones, bfloat16 = product("lt"), product("plain"), lambda *shape, **options: None, "bfloat16"
cuda.synchronize = lambda: None
cuda.Stream, cuda.stream = object, contextlib.nullcontext
cuda.reset_peak_memory_stats = lambda: None
cuda.memory_allocated = lambda: 0
cuda.max_memory_allocated = lambda: peak[0]


class Tensor:
    pass


class Module:
    def modules(self):
        return [self]

    def parameters(self):
        return []

    def to(self, *args, **kwargs):
        return self

    cuda = train = eval = to


class Optimizer:
    def __init__(self, params, lr=1e-3, *, fused=None):
        self.fused = fused


class DataLoader:
    def __init__(self, dataset, batch_size=1, shuffle=None, sampler=None, batch_sampler=None, num_workers=0, collate_fn=None, pin_memory=False):
        self.pin_memory = pin_memory


module("fx", GraphModule=type("GraphModule", (Module,), {}))
module("nn", Module=Module, Conv2d=type("Conv2d", (Module,), {}))
module("optim", Adam=type("Adam", (Optimizer,), {}), AdamW=type("AdamW", (Optimizer,), {}))
module("utils")
module("utils.data", DataLoader=DataLoader)
