"""python -m saturate_gpu is saturate."""

from __future__ import annotations

import os
import subprocess
import sys

from .calls import MissingBinary, find_binary

try:
    command = [find_binary(), *sys.argv[1:]]
except MissingBinary as error:
    sys.exit(f"saturate: {error}")
if os.name == "posix":
    os.execv(command[0], command)
try:
    sys.exit(subprocess.run(command).returncode)
except KeyboardInterrupt:
    sys.exit(130)
