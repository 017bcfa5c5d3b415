"""Python imports this when it starts, because its folder comes first on PYTHONPATH.

It directs the search for modules to the tree that is measured, starts the probe, and then runs the sitecustomize that
would have run without it.
"""

import os
import sys
from importlib import import_module


def _start():
    for name in ("saturate_probe.home", "saturate_probe"):
        try:
            import_module(name).start()
        except BaseException as error:  # the program must run even if this fails
            if os.environ.get("SATURATE_PROBE_DEBUG"):
                raise
            sys.stderr.write("saturate: the probe could not start: %r\n" % (error,))


def _offer():
    """Programs that saturate has fixed import saturate_gpu; an installed one comes first."""
    sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "runtime"))


def _chain():
    """Runs the sitecustomize that this one hides, under its own name."""
    from importlib.machinery import PathFinder
    from importlib.util import module_from_spec

    here = os.path.dirname(os.path.abspath(__file__))
    spec = PathFinder.find_spec("sitecustomize", [p for p in sys.path if os.path.abspath(p or ".") != here])
    if spec is None or spec.loader is None:
        return
    module = module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


_start()
_offer()
_chain()
