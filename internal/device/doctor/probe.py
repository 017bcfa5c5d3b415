# Tells about this interpreter in one line. With the argument "torch" it imports torch and tells
# what that sees; otherwise it reads the installed packages' metadata and imports none of them.
# Runs on every Python from 2.7 on, so that an old one is named rather than a riddle.
import sys

if sys.path and sys.path[0] in ("", "."):
    sys.path.pop(0)  # a json.py in the working folder must not stand for the real one

import json
import platform

PACKAGES = (
    "torch torchaudio torchvision triton transformers accelerate datasets bitsandbytes flash-attn "
    "jax jaxlib jax-cuda12-plugin jax-cuda13-plugin jax-rocm60-plugin jax-rocm7-plugin numpy"
).split()


def packages():
    try:
        from importlib import metadata
    except ImportError:  # before 3.8
        return {}
    found = {}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name) or "unknown"
        except Exception:  # absent, or its metadata is broken
            pass
    return found


def managed():
    """Whether the system's package manager owns this interpreter, so that pip refuses to install into it (PEP 668)."""
    try:
        import os
        import sysconfig

        if sys.prefix != sys.base_prefix:
            return False
        return os.path.exists(os.path.join(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED"))
    except Exception:  # Python 2, or one without sysconfig
        return False


def interpreter():
    return {
        "version": platform.python_version(),
        "implementation": platform.python_implementation(),
        "executable": sys.executable,
        "prefix": sys.prefix,
        "managed": managed(),
        "packages": packages(),
    }


def torch_view():
    import time
    import warnings

    began = time.time()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            import torch
        except BaseException as problem:  # torch's libraries fail in many ways
            return {"problem": "%s: %s" % (type(problem).__name__, problem)}
        took = time.time() - began
        view = {
            "version": torch.__version__,
            "cuda": torch.version.cuda or "",
            "hip": getattr(torch.version, "hip", None) or "",
            "import_s": round(took, 3),
            "gpus": 0,
            "archs": [],
            "mps": False,
        }
        try:
            if torch.cuda.is_available():
                view["gpus"] = torch.cuda.device_count()
                view["archs"] = torch.cuda.get_arch_list()
            mps = getattr(torch.backends, "mps", None)
            view["mps"] = bool(mps and mps.is_available())
        except Exception as problem:
            view["problem"] = "%s: %s" % (type(problem).__name__, problem)
    about_gpus = [str(w.message) for w in caught if "CUDA" in str(w.message) or "driver" in str(w.message)]
    if about_gpus and "problem" not in view:
        view["problem"] = about_gpus[0]
    return view


answer = torch_view() if sys.argv[-1] == "torch" else interpreter()
sys.stdout.write("\nsaturate:" + json.dumps(answer) + "\n")  # packages may print lines of their own
