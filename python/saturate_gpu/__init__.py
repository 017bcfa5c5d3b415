"""saturate finds why a GPU starves during training, fixes it, and proves the fix.

    import saturate_gpu
    print(saturate_gpu.scan(".").to_pandas())          # what in the source will starve the GPU
    print(saturate_gpu.analyze("trace.json.gz").verdict)
    print(saturate_gpu.profile(["python", "train.py"]).verdict)

    saturate_gpu.offline    reads speech and features from disk; patches of `saturate optimize` import it
    saturate_gpu.replay     records a training step as one CUDA graph; patches import it, too
    saturate_gpu.mel        reads datasets of `saturate mel`
    saturate_gpu.platform   apply_platform_optimizations
    saturate_gpu.lab        times the parts of attention, in PyTorch and JAX

In a notebook: %load_ext saturate_gpu, then %%saturate profile. These modules need only the standard library, and
numpy, torch or jax if your program uses them. The command `saturate` works without Python.
"""

from __future__ import annotations

from typing import Any

from .calls import MissingBinary, SaturateError, analyze, find_binary, profile, run, scan
from .results import Analysis, Finding, Profile, Scan

__all__ = ["Analysis", "Finding", "MissingBinary", "Profile", "SaturateError", "Scan", "analyze", "find_binary", "profile", "run", "scan"]


def load_ipython_extension(shell: Any) -> None:
    from . import magic

    magic.load(shell)
