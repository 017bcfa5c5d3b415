"""Writes what the probe sees, as JSON lines in files that the launcher follows.

Each process has its own file. A line is written late and whole: buffered, and flushed when some time
has passed, so that a step costs the program microseconds and a killed program loses a fraction of a second.
"""

import atexit
import errno
import json
import os
import sys
import time

from . import home, preload

FLUSH_SECONDS = 0.2
ROOM = "room"  # the launcher's file: it is gone once something could not be written, for there is always room to remove one

folder = None
_pid = None
_file = None
_lines = []
_flushed = 0.0
_noted = set()


def open(settings):
    global folder, _pid
    folder = settings["folder"]
    _pid = os.getpid()
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_after_fork)
    say = {
        "pid": _pid,
        "parent": os.getppid(),
        "python": "%d.%d.%d" % sys.version_info[:3],
        "executable": sys.executable,
        "argv": list(getattr(sys, "orig_argv", [])),
    }
    _append(os.path.join(folder, "processes.jsonl"), json.dumps(say) + "\n")
    atexit.register(_crashed)


def _after_fork():
    """Lines that the parent has not written yet stay the parent's."""
    global _file, _pid
    _pid, _file = os.getpid(), None
    _lines.clear()


def _crashed():
    """Tells of the exception that ends the program: Python remembers it when it has printed it."""
    try:
        error = getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)
        if error is None or _pid != os.getpid():
            return
        import traceback

        text = "".join(traceback.format_exception(type(error), error, error.__traceback__)[-4:])
        line("crash", error=str(error) or type(error).__name__, type=type(error).__name__, lines=text.rstrip().split("\n")[-8:])
        flush(now=True)
    except Exception:
        pass


def line(kind, **fields):
    fields["kind"] = kind
    _lines.append(fields)
    if kind in ("facts", "worker", "end"):  # steps or samples are recorded, by modules that are imported
        home.tell(quick=kind == "worker")
    if kind == "facts":
        imports = preload.news()
        if imports is not None:
            line("imports", **imports)


def flush(now=False):
    """Writes the lines that wait, unless some were written a moment ago."""
    global _flushed, _file
    at = time.monotonic()
    if not _lines or not (now or at - _flushed >= FLUSH_SECONDS):
        return
    _flushed = at
    text = "".join(json.dumps(fields, separators=(",", ":")) + "\n" for fields in _lines)
    _lines.clear()
    if _file is None:
        _file = os.path.join(folder, "%d.jsonl" % _pid)
    try:
        _append(_file, text)
    except OSError:
        pass  # the launcher has gone and taken the folder with it


def _append(path, text):
    data = text.encode()
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            if os.write(fd, data) < len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)
        finally:
            os.close(fd)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            _no_room()
        raise


def _no_room():
    try:
        os.remove(os.path.join(folder, ROOM))
    except OSError:
        pass  # another process was first


def note(text):
    """Writes a note for the reader of the Run, once."""
    if text not in _noted and len(_noted) < 20:
        _noted.add(text)
        line("note", text=text)
        flush(now=True)


def failed(where):
    """The probe's own failure: one line in the Run."""
    error = sys.exc_info()[1]
    tb = error.__traceback__ if error is not None else None
    while tb is not None and tb.tb_next is not None:
        tb = tb.tb_next
    place = "%s:%d" % (os.path.basename(tb.tb_frame.f_code.co_filename), tb.tb_lineno) if tb else "?"
    note("the probe failed in %s (%s): %s: %s" % (where, place, type(error).__name__, str(error)[:200]))
    if os.environ.get("SATURATE_PROBE_DEBUG"):
        import traceback

        traceback.print_exc()


def safe(function):
    """Wraps a hook so that nothing it does can reach the program."""

    def hook(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except Exception:
            failed(function.__name__)

    hook.__name__ = function.__name__
    return hook


def drop(kind):
    """Forgets lines of a kind that a newer one is about to replace."""
    _lines[:] = [fields for fields in _lines if fields["kind"] != kind]
