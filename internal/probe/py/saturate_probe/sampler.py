"""Which function the time goes to: the stack of the thread that trains, or that makes samples, looked at again and again.

On Linux a timer of the kernel interrupts that thread with SIGURG, which nothing else uses and which is ignored where no
handler is set. Python calls the handler between two instructions, so a call into C counts for the line that made it.
A thread that reads sys._current_frames() would wait for the GIL first, and find the program wherever it gives that up:
it is only the second choice, for other systems and for training outside of the main thread.

Neither survives a fork or an exec: a worker starts its own. How often the stack is looked at follows from what a look
costs. The time until the next look is drawn from an exponential distribution: every moment is equally likely to be
seen, in any rhythm of the program. Looks are kept with their time; which phase they fall into
is known when the step is over.
"""

import math
import os
import signal
import sys
import sysconfig
import threading
import time
from bisect import bisect_left, bisect_right
from importlib import import_module

from . import record

LOOKING, TELLING = 0.0032, 0.0011  # of the time, at most: for looking and sorting, and for telling what was seen
USUAL, LONGEST = 5_000_000, 100_000_000  # ns between two looks, where they cost little and much
UNSEEN = 10_000  # ns of a look that it does not see itself: the signal, and what it takes from the caches
MOST = 20_000  # looks that wait for the end of their step: then the time between two grows
DEPTH = 128  # frames, from the innermost
EVERY = 2_000_000_000  # ns between two tellings at least
STEADY = ("warmup", "profiled", "recompilation")  # steps with these tags are not what training is like

_COMPREHENSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")

_clock = time.perf_counter_ns
_cpu = getattr(time, "thread_time_ns", time.perf_counter_ns)  # by the clock, other programs would count
_here = os.path.dirname(os.path.abspath(__file__)) + os.sep
try:
    _began = os.getcwd()
except OSError:  # removed
    _began = os.sep
_live = None  # what makes the looks come, while they do
_looks = []  # (when, ns that it stands for, (code, instruction, code, instruction …) from the innermost frame, codes by their id)
_codes = {}  # id of a code object: it. Its own hash runs through all of its instructions, each time
_due, _usual = 0, 0  # when the next look is to come, and the mean time between two
_cost = 40_000.0  # ns of a look
_sorting = 5_000.0  # ns, of a look too, when its step is over
_jitter = 1  # a sequence of its own: the program's random numbers stay what they are
_spent = {}  # (phase, stack): ns
_told, _telling = 0, 0  # when, and what it took
_frames, _news = {}, []  # number of each frame that was told (id of its code, line), and those that are to be
_lines = {}  # id of a code object: where its lines begin


def start(thread):
    """Begins to look at a thread, by its ident."""
    global _live
    if _live is not None:
        return
    try:
        _live = _Timer() if thread == threading.main_thread().ident == threading.get_ident() else _Thread(thread)
    except Exception:  # no timers, no ctypes, or the program handles the signal itself
        _live = _Thread(thread)


def stop():
    global _live
    if _live is not None:
        _live.end()
        _live = None


def _forked():
    """Timers and threads stay with the parent, and so does what it saw."""
    global _live, _told
    _live = None
    _told = 0
    del _looks[:], _news[:]
    _spent.clear()
    _frames.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


# Looking.


def _look(frame):
    now = _clock()
    stack = []
    while frame is not None and len(stack) < 2 * DEPTH:
        code = frame.f_code
        number = id(code)
        if number not in _codes:
            _codes[number] = code
        stack.append(number)
        stack.append(frame.f_lasti)
        frame = frame.f_back
    _looks.append((now, _usual + max(0, now - _due), tuple(stack)))  # until it comes the program stands still: that counts too


def _took(began):
    global _cost
    _cost += 0.05 * (_cpu() - began - _cost)


def _pause():
    """ns until the next look."""
    global _jitter, _due, _usual
    _jitter = (1103515245 * _jitter + 12345) & 0x7FFFFFFF
    usual = max(USUAL, (_cost + _sorting + UNSEEN) / LOOKING)
    _usual = int(min(LONGEST, usual * max(1, len(_looks) / MOST)))
    pause = int(-_usual * math.log((_jitter + 1) / 0x80000001)) + 1
    _due = _clock() + pause
    return pause


class _Timer:
    def __init__(self):
        self.ctypes = ctypes = import_module("ctypes")
        if not sys.platform.startswith("linux") or ctypes.sizeof(ctypes.c_void_p) != 8 or signal.getsignal(signal.SIGURG) not in (signal.SIG_DFL, _Timer.due):
            raise OSError

        class Event(ctypes.Structure):
            _fields_ = [("value", ctypes.c_void_p), ("signal", ctypes.c_int), ("how", ctypes.c_int), ("thread", ctypes.c_int), ("rest", ctypes.c_int * 11)]

        self.Times = ctypes.c_long * 4
        self.library = ctypes.PyDLL(None)  # keeps the GIL: a call takes less than giving it up
        if not hasattr(self.library, "timer_create"):
            self.library = ctypes.PyDLL("librt.so.1")
        event = Event(signal=signal.SIGURG, how=4, thread=threading.get_native_id())  # SIGEV_THREAD_ID
        self.timer = ctypes.c_void_p()
        signal.signal(signal.SIGURG, _Timer.due)
        signal.siginterrupt(signal.SIGURG, False)
        if self.library.timer_create(1, ctypes.byref(event), ctypes.byref(self.timer)):  # CLOCK_MONOTONIC
            raise OSError
        self.arm(_pause())

    def arm(self, pause):
        self.library.timer_settime(self.timer, 0, self.Times(0, 0, *divmod(pause, 1_000_000_000)), None)

    @staticmethod
    def due(number, frame):
        live = _live
        if live is None:
            return
        began = _cpu()
        try:
            _look(frame)
        except Exception:  # such as the end of the program's own recursion
            pass
        finally:
            live.arm(_pause())
            _took(began)

    def end(self):
        self.library.timer_delete(self.timer)


class _Thread:
    def __init__(self, watched):
        self.watched, self.ended = watched, False
        threading.Thread(target=self.run, name="saturate", daemon=True).start()

    def run(self):
        while not self.ended:
            time.sleep(_pause() / 1e9)
            began = _cpu()
            try:
                frame = sys._current_frames().get(self.watched)
                if frame is not None and _live is self:
                    _look(frame)
                    _took(began)
            except Exception:
                pass

    def end(self):
        self.ended = True


# Which phase a look falls into.


def divide(segments, tags=()):
    """Gives the looks to the phases of a step that is over: segments are (phase, begin, end), one after the other."""
    global _sorting
    if not _looks:
        return
    looks = _looks[:]
    del _looks[: len(looks)]
    if not segments or any(tag in tags for tag in STEADY):
        return
    began = _cpu()
    ends = [segment[2] for segment in segments]
    for at, ns, stack in looks:
        index = bisect_left(ends, at)
        if index < len(segments) and at >= segments[index][1]:
            place = segments[index][0], stack
            _spent[place] = _spent.get(place, 0) + ns
    _sorting += 0.05 * ((_cpu() - began) / len(looks) - _sorting)


# Telling.


def tell(now=False):
    """Writes what has come together. That takes its time: the more, the later the next time."""
    global _told, _telling
    began = _clock()
    if not _spent or not now and began - _told < max(EVERY, _telling / TELLING):
        return
    stacks = {}
    for (phase, stack), ns in list(_spent.items()):
        place = (phase or "other", *_numbers(stack))
        stacks[place] = stacks.get(place, 0) + ns
    _spent.clear()
    record.line("stacks", frames=_news[:], stacks=[[phase, round(ns / 1e9, 6), below, numbers] for (phase, below, numbers), ns in stacks.items()])
    del _news[:]
    _told = _clock()
    _telling = _told - began


def _numbers(stack):
    """How many frames stand above what the probe wraps, and the numbers of all frames, the outermost first."""
    below, numbers = 0, []
    for at in range(len(stack) - 2, -1, -2):
        code = _codes[stack[at]]
        if code.co_filename.startswith(_here):
            below = len(numbers)
            continue
        if code.co_name in _COMPREHENSIONS and numbers:
            continue  # part of the function around it
        place = stack[at], _line(code, stack[at + 1])
        number = _frames.get(place)
        if number is None:
            number = _frames[place] = len(_frames)
            _news.append([*named(code), place[1]])
        numbers.append(number)
    return below, tuple(numbers)


def _line(code, instruction):
    begins = _lines.get(id(code))
    if begins is None:
        starts = [place for place in import_module("dis").findlinestarts(code) if place[1] is not None]
        begins = _lines[id(code)] = [place[0] for place in starts], [place[1] for place in starts]
    at = bisect_right(begins[0], instruction) - 1
    return begins[1][at] if at >= 0 else code.co_firstlineno


_libraries = None


def _holds_packages(folder):
    """Reports a folder that pip install --target has filled."""
    try:
        return any(name.endswith(".dist-info") for name in os.listdir(folder or "."))
    except OSError:
        return False


def named(code):
    """A function's name, its file, and whether that belongs to the project and not to a library."""
    global _libraries
    if _libraries is None:
        paths = {path for name, path in sysconfig.get_paths().items() if name in ("stdlib", "platstdlib", "purelib", "platlib")}
        paths.update(path for path in sys.path if _holds_packages(path))
        _libraries = sorted((os.path.realpath(path) + os.sep for path in paths), key=len, reverse=True)
    name = getattr(code, "co_qualname", code.co_name).replace("<locals>.", "")
    path = code.co_filename
    if path.startswith("<"):
        return name, path, False
    path = os.path.join(_began, path)
    for mark in ("site-packages", "dist-packages"):
        _, found, inside = path.partition(os.sep + mark + os.sep)
        if found:
            return name, inside, False
    real = os.path.realpath(path)
    for library in _libraries:
        if real.startswith(library):
            return name, real[len(library) :], False
    return name, path, True
