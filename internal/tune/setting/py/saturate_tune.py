"""Settings that make programs on torch and JAX faster: applied, read back, probed and undone.

    apply_platform_optimizations("cuda")       in a program, after its imports; undo() reverts everything
    start(plan, report)                        for a program that is not changed: before it imports anything
    python saturate_tune.py detect             describes this machine, as one line of JSON
    python saturate_tune.py check plan.json    applies a plan and checks its effects; one line per setting

Settings are data in TABLE. A setting is chosen by name, set in the first way that the library supports,
read back and reported. Failures are undone and reported, never raised.
Standard library only: torch and jax are used once the program has imported them.
"""

import atexit
import functools
import glob
import json
import logging
import os
import sys
import threading
import time
import weakref

TABLE = {"settings": [], "dead": []}
LIBRARIES = ("torch", "jax")

log = logging.getLogger("saturate_tune")
_applied = {}  # name -> Applied, in the order of application
_waiting = {}  # library -> settings that wait for its import
_report = None
_checking = False  # without a program: probes may create what they check
_control = {"path": None, "seen": None, "next": 0.0}


class Applied:
    """A setting that was tried: the way that worked, and how to undo it."""

    def __init__(self, setting):
        self.setting, self.way, self.old, self.hook, self.error = setting, None, [], None, ""

    def apply(self):
        for way in self.setting["ways"]:
            try:
                self.way = way
                for knob in way.get("knobs", ()):
                    if knob.get("set"):
                        self.old.append((knob, _read(knob)))
                        _write(knob["set"], knob.get("pass", knob["value"]))
                if way.get("hook"):
                    if way["hook"] not in HOOKS:
                        raise LookupError("unknown hook %s; use %s" % (way["hook"], ", ".join(HOOKS)))
                    self.hook = HOOKS[way["hook"]](way.get("value"))
                    self.hook.smallest = self.setting.get("smallest", 0)
                self.error = ""
                return
            except Exception as error:
                self.undo()
                self.way, self.error = None, "%s: %s" % (type(error).__name__, str(error).split("\n")[0][:200])

    def undo(self):
        """Restores the earlier values, in reverse order."""
        if self.hook is not None:
            self.hook.undo()
            self.hook = None
        while self.old:
            knob, value = self.old.pop()
            try:
                _write(knob["set"], value)
            except Exception as error:
                self.error = "cannot be undone: %s" % str(error).split("\n")[0][:200]

    def observe(self, when, probe=False):
        """The current value of the setting; see Observation on the Go side."""
        say = {"setting": self.setting["name"], "when": when, "requested": _requested(self.setting, self.way),
               "read": None, "in_effect": None, "effect": None, "acts": None, "error": self.error}
        if self.way is None:
            say["in_effect"] = False
            return say
        effect = self.setting.get("effect")
        if effect and (probe or not effect.get("active")):
            try:
                variables = [v["name"] for v in self.way.get("env", ())]
                args = [variables if arg == "*variables" else arg for arg in effect.get("args", ())]
                say["effect"], say["acts"] = PROBES[effect["probe"]](*args)
            except Exception as error:
                say["effect"] = "the probe failed: %s: %s" % (type(error).__name__, str(error).split("\n")[0][:160])
        try:
            self._read_back(say)
        except Exception as error:
            say["error"] = say["error"] or "cannot be read back: %s" % str(error).split("\n")[0][:200]
        return say

    def _read_back(self, say):
        read = [(_read(knob), knob["value"]) for knob in self.way.get("knobs", ())]
        missing = [v["name"] for v in self.way.get("env", ()) if v["value"] not in os.environ.get(v["name"], "")]
        if self.hook is not None:
            say["read"], say["theirs"] = self.hook.says(), bool(self.hook.theirs and not self.hook.count)
            say["in_effect"] = True if self.hook.count or self.hook.theirs else None if say["when"] == "applied" else False
        elif read:
            say["read"] = _plain(read[0][0] if len(read) == 1 else [value for value, _ in read])
            say["in_effect"] = all(_same(value, wanted) for value, wanted in read)
        elif missing:
            say["read"], say["in_effect"] = "%s is not in the environment" % missing[0], False


def _value(expression):
    """The value of an expression of the table. eval of a string would make Python lose the exit code of Ctrl-C."""
    names = {"torch": sys.modules.get("torch"), "jax": sys.modules.get("jax"), "openmp": _openmp}
    return eval(compile(expression, "<setting>", "eval"), names)


def _read(knob):
    return _value(knob.get("get") or knob["set"])


def _write(path, value):
    """Sets an attribute that exists, or calls a function. A module of torch accepts any attribute silently."""
    path, call = (path[:-2], True) if path.endswith("()") else (path, False)
    owner, _, name = path.rpartition(".")
    owner = _value(owner)
    if not hasattr(owner, name):
        raise AttributeError("this version has no %s" % path)
    if call:
        getattr(owner, name)(value)
    elif path.startswith("jax.config."):
        owner.update(name, value)
    else:
        setattr(owner, name, value)


def _same(read, wanted):
    return read == wanted or str(read) == str(wanted)


def _plain(value):
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    return value if isinstance(value, (bool, int, float, str, type(None))) else str(value)


def _requested(setting, way):
    way = way or setting["ways"][0]
    parts = ["%s=%s" % (v["name"], v["value"]) for v in way.get("env", ())]
    parts += ["%s = %r" % (k["set"], k.get("pass", k["value"])) for k in way.get("knobs", ()) if k.get("set")]
    return "; ".join(parts) or way.get("hand") or way.get("start", "")


# Applies a plan to an unchanged program.


def start(plan, report, hook=True):
    """Applies a plan: at once what needs no library, the rest when its library has been imported.

    report gets one dict per setting when it is applied, and another when the program ends.
    hook=False leaves it to the caller to call imported(name) when the program has imported it.
    """
    global _report
    _report = report
    _control.update(path=plan.get("control"), seen=None, next=0.0)
    try:
        for setting in plan["settings"]:
            if setting.get("library"):
                _waiting.setdefault(setting["library"], []).append(setting)
            else:
                _use(setting)
        atexit.register(finish)
        if hook:
            sys.meta_path.insert(0, _Finder)
        for name in LIBRARIES:
            if name in sys.modules:
                imported(name)
    except Exception as error:
        _tell({"setting": "", "when": "applied", "error": "cannot use the plan: %r" % (error,)})


def install():
    """start() with the plan that SATURATE_TUNE names; reports go to the log."""
    path = os.environ.get("SATURATE_TUNE")
    if path:
        try:
            with open(path) as file:
                start(json.load(file), lambda say: log.info("%s", json.dumps(say)))
        except Exception as error:
            log.warning("cannot use %s: %s", path, error)


def imported(library):
    """Applies the settings that waited for a library."""
    try:
        if library == "torch" and not _baseline:
            _remember()
        for setting in _waiting.pop(library, ()):
            _use(setting)
    except Exception as error:
        _tell({"setting": "", "when": "applied", "error": "settings for %s: %r" % (library, error)})


def _use(setting):
    name = setting["name"]
    if name in _applied:
        _applied.pop(name).undo()
    applied = _applied[name] = Applied(setting)
    try:
        applied.apply()
    except BaseException as error:  # one of our hooks failed
        applied.error = repr(error)
    say = applied.observe("applied")
    _tell(say)
    return say


def _tell(say):
    try:
        if _report is not None:
            _report(say)
    except Exception:
        pass


def finish():
    """Reads everything back at the end, once: the program may have set the same things itself."""
    global _report
    for applied in list(_applied.values()):
        _tell(applied.observe("exit"))
    for settings in _waiting.values():
        for setting in settings:
            _tell({"setting": setting["name"], "when": "exit", "requested": _requested(setting, None), "in_effect": None,
                   "error": "the program did not import %s" % setting["library"]})
    for say in dead():
        _tell(say)
    _report = None
    _applied.clear()
    _waiting.clear()


def undo():
    """Undoes everything that can be undone while the program runs."""
    for name in reversed(list(_applied)):
        _applied.pop(name).undo()


def poll():
    """Applies what the control file says, {"name": true, false or a value}; to be called at step ends."""
    path, now = _control["path"], time.monotonic()
    if not path or now < _control["next"]:
        return
    _control["next"] = now + 0.2
    try:
        seen = os.stat(path).st_mtime_ns
        if seen == _control["seen"]:
            return
        _control["seen"] = seen
        with open(path) as file:
            wanted = json.load(file)
        for name, value in wanted.items():
            _change(name, value)
    except FileNotFoundError:
        pass
    except Exception as error:
        _tell({"setting": "", "when": "changed", "error": "cannot use %s: %s" % (path, error)})


def _change(name, value):
    known = {s["name"]: s for s in TABLE["settings"]}
    setting = _applied[name].setting if name in _applied else known.get(name)
    if setting is None or not setting.get("live"):
        why = "unknown setting" if setting is None else "cannot change while the program runs"
        _tell({"setting": name, "when": "changed", "requested": value, "in_effect": None, "error": why})
        return
    if name in _applied:
        _applied.pop(name).undo()
    if value is not False:
        setting = json.loads(json.dumps(setting))
        for way in setting["ways"]:
            for knob in way.get("knobs", ()):
                knob["value"] = knob["value"] if value is True else value
        applied = _applied[name] = Applied(setting)
        applied.apply()
    else:
        applied = Applied(setting)
        applied.way = setting["ways"][0]
    say = applied.observe("changed")
    if value is False:
        say.update(requested=False, in_effect=not say["in_effect"])
    _tell(say)


class _Finder:
    """The first of the import finders. It finds nothing itself, but notices when a library is imported."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name not in LIBRARIES:
            return None
        for finder in sys.meta_path:
            find = getattr(finder, "find_spec", None)
            spec = find(name, path, target) if find and finder is not _Finder else None
            if spec is not None:
                _watch(spec, name)
                return spec
        return None


def _watch(spec, name):
    run = getattr(spec.loader, "exec_module", None)

    def exec_module(module):
        spec.loader.__dict__.pop("exec_module", None)
        run(module)
        imported(name)

    try:
        spec.loader.exec_module = exec_module
    except AttributeError:
        _tell({"setting": "", "when": "applied", "error": "cannot observe the import of %s" % name})


# Settings that torch ignores: its modules accept any attribute.

_baseline = {}


def _backends():
    return {n: m for n, m in list(sys.modules.items()) if n == "torch.backends" or n.startswith("torch.backends.")}


def _remember():
    for name, module in _backends().items():
        _baseline[name] = set(dir(module)) | set(vars(module))


def dead():
    """What the program has set in torch.backends, or in the environment, that has no effect."""
    found, known = [], {d["name"]: d["instead"] for d in TABLE["dead"] if "." in d["name"]}
    plain = (bool, int, float, str)
    for name, module in _backends().items():
        for key, value in list(vars(module).items()):
            whole = name + "." + key
            new = name in _baseline and key not in _baseline[name]
            if isinstance(value, plain) and not key.startswith("_") and (new or whole in known):
                found.append((whole, value))
    for whole in known:
        owner, _, key = whole.rpartition(".")
        if owner in ("torch", "torch.cuda") and owner in sys.modules and isinstance(vars(sys.modules[owner]).get(key), plain):
            found.append((whole, vars(sys.modules[owner])[key]))
    return [{"dead": name, "value": value, "instead": known.get(name, "")} for name, value in found]
