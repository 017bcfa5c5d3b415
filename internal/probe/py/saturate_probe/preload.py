"""Reports which installed modules a process has imported, so that a fork server can import them first (see forks).

Reported once, with the first facts: by then the program has made a step. Variables that the program has set are reported
too, because libraries read them when they are imported.
"""

import os
import sys

_ENVIRONMENTS = ("site-packages", "dist-packages")

_began = None
_told = False


def start(settings):
    global _began
    if settings.get("imports"):
        _began = dict(os.environ)


def news():
    """The fields of the line, the first time; None later, or where nobody asks."""
    global _told
    if _began is None or _told:
        return None
    _told = True
    return {"modules": installed(), "environ": changed(_began, os.environ)}


def installed():
    """Names of the modules that come from an installation, in the order in which their import began."""
    names = []
    for name, module in list(sys.modules.items()):
        spec = getattr(module, "__dict__", {}).get("__spec__")
        file = getattr(spec, "origin", None)
        if isinstance(file, str) and getattr(spec, "name", None) == name and any(part in _ENVIRONMENTS for part in file.split(os.sep)):
            names.append(name)
    return names


def changed(before, after):
    """Variables that were set or, as None, removed."""
    told = {name: value for name, value in after.items() if before.get(name) != value}
    told.update((name, None) for name in before if name not in after)
    return told
