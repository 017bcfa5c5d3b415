"""Makes a program's modules come from the tree that is measured, and reports those that do not.

When a copy of a project runs, Python may find the original project: PYTHONPATH, a .pth file or the finder of an
editable installation lead there. So a finder comes before all others. It redirects the search path, and what the others
find in another tree, to the same place in this one. Modules that are still loaded from there are reported: the run is then void.

This also works without the rest of the probe. Children inherit the launcher's variable, so it covers them too.
"""

import atexit
import functools
import json
import os
import sys
from importlib.machinery import PathFinder
from importlib.util import spec_from_file_location

from . import lines

_ENVIRONMENTS = ("site-packages", "dist-packages", "__pypackages__")
_SOURCES = ("", "src", "lib", "python")  # folders of a project that modules are searched in

_folder = None  # for reports
_began = None
_here = None  # this tree
_trees = []  # (real path of a tree, what stands in its place), the deepest first; nothing has to stand in that of this one
_apart = []  # folders that belong to no tree, though they may lie in one
_library = None  # Python's own
_changed = {}  # dotted name of a module: the file of this tree that it should come from, and what of it stands before the name
_files = set()  # the same files
_real = {}  # folder: its real path
_turned = {}  # entry of the search path: what it became
_seen = set()  # names of modules that were looked at
_count = 0  # modules at the last look
_told = {"strays": [], "loaded": [], "shadows": [], "lines": {}}
_news = True


def start():
    """Before the program's first line, and before the probe."""
    text = os.environ.get("SATURATE_HOME")
    if not text:
        return
    global _folder, _began, _library, _here
    settings = json.loads(text)
    _began, _library = os.getcwd(), os.path.realpath(os.path.dirname(os.__file__))
    _here = os.path.realpath(settings["root"])
    _trees.append((_here, ""))
    for move in settings["moves"] or ():
        _trees.append((os.path.realpath(move["from"]), move.get("to", "")))
    _trees.sort(key=lambda tree: -len(tree[0]))
    _apart.append(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
    for prefix in (sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix):
        _apart.append(os.path.realpath(prefix))
    sys.meta_path.insert(0, _Finder)
    _turn()
    if settings.get("folder"):
        _expect(settings["folder"])
        _folder = settings["folder"]
        if settings.get("lines"):
            lines.start(_own)
        atexit.register(tell)
        _watch_exit()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(before=_look_safely)  # so that no child has to


def _expect(folder):
    """Reads which files of this tree differ from those of the other."""
    try:
        with open(os.path.join(folder, "changed"), encoding="utf-8") as file:
            names = json.load(file) or ()
    except OSError:
        return  # the run has ended
    for name in names:
        _files.add(name)
        parts = name[: -len(".py")].split("/")
        if parts[-1] == "__init__":
            parts.pop()
        for at in range(len(parts)):
            if at < len(parts) - 1 or "/".join(parts[:at]) in _SOURCES:
                _changed.setdefault(".".join(parts[at:]), name)


def _watch_exit():
    """os._exit calls no atexit."""
    leave = os._exit

    @functools.wraps(leave)
    def _exit(*args, **kwargs):
        tell()
        leave(*args, **kwargs)

    os._exit = _exit


# Where a path belongs.


def _inside(path, folder):
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _resolve(path):
    """The real path of a file. Of its folder it is worked out once."""
    if not os.path.isabs(path):
        path = os.path.join(_began, path)
    folder, name = os.path.split(path)
    real = _real.get(folder)
    if real is None:
        real = _real[folder] = os.path.realpath(folder)
    whole = os.path.join(real, name)
    return os.path.realpath(whole) if os.path.islink(whole) else whole


def _place(real):
    """The tree that a real path lies in, as in _trees; None if it is in none, or not part of the project."""
    for tree in _trees:
        if _inside(real, tree[0]):
            if any(part in _ENVIRONMENTS for part in real[len(tree[0]) :].split(os.sep)):
                return None
            if any(_inside(real, folder) and _inside(folder, tree[0]) and folder != tree[0] for folder in _apart):
                return None
            return tree
    return None


def _stray(path):
    """What stands in this tree where path stands in another; None where path is this tree's, or nobody's, or linked into
    it. "" where this tree has no such place."""
    real = _resolve(path)
    tree = _place(real)
    if tree is None or tree[0] == _here:
        return None
    if not tree[1]:
        return ""
    there = os.path.normpath(os.path.join(tree[1], os.path.relpath(real, tree[0])))
    return None if os.path.realpath(there) == real else there


def _own(file):
    """Whether a file, as code names it, is one of this tree that was asked about."""
    return not file.startswith("<") and _below(file) in _files


def _below(file):
    """The path of a file in its tree, with slashes; None where it is in none."""
    real = _resolve(file)
    tree = _place(real)
    return tree and os.path.relpath(real, tree[0]).replace(os.sep, "/")


# Where modules are found.


def _turn():
    """Turns the search path. Programs change it at any time."""
    for i, entry in enumerate(sys.path):
        if entry not in _turned:
            _turned[entry] = entry
            if isinstance(entry, str) and os.path.isabs(entry):
                _turned[entry] = _stray(entry) or entry
        if _turned[entry] != entry:
            sys.path[i] = _turned[entry]


class _Finder:
    """Asks those behind it, and turns what they find."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if path is None:
            _turn()
        finders = list(sys.meta_path)
        if _Finder not in finders:
            return None
        refused = None
        for finder in finders[finders.index(_Finder) + 1 :]:
            find = getattr(finder, "find_spec", None)
            spec = find and find(name, path, target)
            if spec is None:
                continue
            found = _moved(spec)
            if found is not None:
                return found
            refused = spec.origin or name
        if refused is None and path is None:
            refused = _elsewhere(name)
        if refused is not None:
            raise ModuleNotFoundError(
                "No module named %r in %s: that of another tree, %s, is not taken in its place" % (name, _here, refused), name=name
            )
        return None

    @staticmethod
    def invalidate_caches():
        pass


def _elsewhere(name):
    """The file of a module that only entries of the search path lead to that were turned away."""
    spec = PathFinder.find_spec(name, [old for old, new in _turned.items() if new != old])
    return spec.origin if spec is not None and spec.has_location else None


def _moved(spec):
    """The same module in this tree: spec itself where it is there, None where this tree has none."""
    folders = spec.submodule_search_locations
    if not spec.has_location or not isinstance(spec.origin, str):
        if folders is not None:
            there = [_stray(folder) or folder for folder in folders]
            if there != list(folders):
                there = [folder for folder in there if os.path.isdir(folder)]
                if not there:
                    return None
                spec.submodule_search_locations = there
        return spec
    there = _stray(spec.origin)
    if not there:  # "" is loaded, and told
        return spec
    if not os.path.exists(there):  # it may have become a package, or be one no more
        folder = os.path.dirname(there)
        return PathFinder.find_spec(spec.name, [os.path.dirname(folder) if folders is not None else folder])
    if folders is not None:
        folders = [_stray(folder) or folder for folder in folders]
    try:
        loader = type(spec.loader)(spec.name, there)
    except Exception:
        loader = None
    return spec_from_file_location(spec.name, there, loader=loader, submodule_search_locations=folders)


# Reports.


def tell(quick=False):
    """Writes what is known of the modules of this process, when it tells of its steps and at its end. quick is for what
    comes often: then as many modules as before are the same."""
    global _news
    if _folder is None:
        return
    try:
        if quick and len(sys.modules) == _count:
            return
        _look()
        if not quick:
            _look_at_lines()
        if not _news:
            return
        path = os.path.join(_folder, "%d.json" % os.getpid())
        with open(path + ".new", "w", encoding="utf-8") as file:
            json.dump(_told, file)
        os.replace(path + ".new", path)
        _news = False
    except Exception:  # the launcher has gone and taken the folder with it; if it has not, it hears nothing and says so
        if os.environ.get("SATURATE_PROBE_DEBUG"):
            import traceback

            traceback.print_exc()


def _look_at_lines():
    global _news
    for name, (ran, entered) in lines.news().items():
        told = {"ran": sorted(ran), "idle": sorted(entered - ran)}
        if _told["lines"].get(_below(name)) != told:
            _told["lines"][_below(name)] = told
            _news = True


def _look_safely():
    try:
        _look()
    except Exception:
        pass


def _look():
    """Looks at the modules that are new."""
    global _news, _count
    _count = len(sys.modules)
    for name, module in list(sys.modules.items()):
        if name in _seen:
            continue
        file = getattr(module, "__dict__", {}).get("__file__")
        if not isinstance(file, str):
            continue  # it may get one: __main__ does
        _seen.add(name)
        real = _resolve(file)
        if real.endswith(".pyc"):
            real = real[:-1]
        there = _stray(file)
        if there is not None:
            _told["strays"].append({"module": name, "file": real, "place": there})
            _news = True
            continue
        tree = _place(real)
        if tree is not None:
            below = os.path.relpath(real, tree[0]).replace(os.sep, "/")
            if below in _files:
                _told["loaded"].append(below)
                _news = True
            continue
        if name == "__main__":
            name = getattr(getattr(module, "__spec__", None), "name", None) or name
        if name in _changed and (not _inside(real, _library) or any(part in real for part in _ENVIRONMENTS)):
            _told["shadows"].append({"module": name, "file": real, "place": _changed[name]})
            _news = True
