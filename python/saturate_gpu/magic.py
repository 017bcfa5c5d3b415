"""%load_ext saturate_gpu adds %saturate and %%saturate to IPython and Jupyter.

    %saturate scan .

    %%saturate profile
    import train            # the cell runs as a separate program, with this notebook's Python
    train.main()
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from typing import Any

from .calls import find_binary


def load(shell: Any) -> None:
    shell.register_magic_function(saturate, magic_kind="line_cell", magic_name="saturate")


def saturate(line: str, cell: str | None = None) -> None:
    words = shlex.split(line, posix=os.name != "nt")
    if cell is None:
        show([find_binary(), *words])
        return
    if not words or words[0] not in ("profile", "tune", "verify"):
        print("%%saturate runs the cell as a program: use %%saturate profile", file=sys.stderr)
        return
    # In the notebook's folder, so that the cell finds the same modules and files as the notebook does.
    with tempfile.NamedTemporaryFile("w", suffix=".py", prefix=".saturate_cell_", dir=os.getcwd(), encoding="utf-8", delete=False) as file:
        file.write(cell)
    try:
        show([find_binary(), *words, "--", sys.executable, file.name])
    finally:
        os.unlink(file.name)


def show(command: list[str]) -> None:
    """Run a command and print its output as it comes: a notebook does not show a child's output."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", errors="replace") as child:
        assert child.stdout is not None
        try:
            for line in child.stdout:
                print(line, end="")
        except KeyboardInterrupt:
            child.terminate()
    if child.returncode not in (0, 1):
        print(f"saturate ended with code {child.returncode}", file=sys.stderr)
