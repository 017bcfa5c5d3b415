"""Calls of the command `saturate`, with its JSON as typed values."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any, Sequence, Union

from .results import Analysis, Profile, Scan

PathLike = Union[str, "os.PathLike[str]"]

CLEAN, FOUND, UNDECIDED = 0, 1, 3  # exit codes that come with a result; 2 is a usage error, 4 means something is missing


class SaturateError(RuntimeError):
    """The command gave no result. The message is what it said; code is its exit code."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


class MissingBinary(SaturateError):
    def __init__(self) -> None:
        super().__init__("the command saturate was not found; run `pip install saturate-gpu`, or set SATURATE to its path", 4)


def find_binary() -> str:
    """The command that came with this package, else the one that SATURATE or the PATH names."""
    name = "saturate.exe" if os.name == "nt" else "saturate"
    user = "nt_user" if os.name == "nt" else "posix_user"
    beside = str(Path(__file__).resolve().parents[1] / "bin")  # pip install --target
    folders = [os.path.dirname(sys.executable), sysconfig.get_path("scripts"), sysconfig.get_path("scripts", user)]
    for path in [os.environ.get("SATURATE", ""), *(os.path.join(folder, name) for folder in [*folders, beside])]:
        if path and os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    found = shutil.which("saturate")
    if found is None:
        raise MissingBinary
    return found


def run(*arguments: PathLike, cwd: PathLike | None = None) -> dict[str, Any]:
    """The JSON of `saturate ARGUMENTS --format json`. Progress goes to stderr as usual."""
    words = [os.fspath(argument) for argument in arguments]
    at = words.index("--") if "--" in words else len(words)
    command = [find_binary(), *words[:at], "--format", "json", *words[at:]]
    done = subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", errors="replace")
    try:
        result = json.loads(done.stdout)
    except ValueError:
        raise SaturateError(done.stderr.strip() or f"saturate ended with code {done.returncode}", done.returncode) from None
    if done.returncode not in (CLEAN, FOUND, UNDECIDED) and "error" in result:
        raise SaturateError(str(result["error"]), done.returncode)
    return dict(result)


def scan(*paths: PathLike) -> Scan:
    """What in a project's source will starve the GPU. The project's code is not run."""
    return Scan.of(run("scan", *(paths or (".",))))


def analyze(path: PathLike) -> Analysis:
    """Why the GPU was idle in a trace of torch.profiler, JAX or XLA."""
    return Analysis.of(run("analyze", path))


def profile(command: Sequence[PathLike], *, options: Sequence[str] = (), cwd: PathLike | None = None) -> Profile:
    """Run a training command and show where its step time goes; options are those of `saturate profile`."""
    return Profile.of(run("profile", *options, "--", *command, cwd=cwd))
