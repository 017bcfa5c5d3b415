"""Records which lines of the project's functions ran, so that a branch that the program never took can be told from one that it did.

Only functions that were entered are told of: what runs in a process that was killed, or in code that was compiled, is not known. Each
line is noticed once and costs nothing from then on. Python 3.12 or later; before it, nothing is told.
"""

import sys

_told = {}  # file as the code names it: lines that ran, lines of functions that were entered
_wanted = None  # tells whether a file is the project's


def start(wanted):
    """wanted tells, of a file as code names it, whether it is the project's."""
    global _wanted
    monitoring = getattr(sys, "monitoring", None)
    if monitoring is None:
        return
    tool = next((id for id in (4, 3) if monitoring.get_tool(id) is None), None)
    if tool is None:
        return
    _wanted = wanted
    monitoring.use_tool_id(tool, "saturate")
    events, disable = monitoring.events, monitoring.DISABLE

    def entered(code, _):
        name = code.co_filename
        if name not in _told:
            _told[name] = (set(), set()) if _wanted(name) else None
        found = _told[name]
        if found is not None:
            first = code.co_firstlineno  # over before its lines are told
            found[1].update(line for _, _, line in code.co_lines() if line and line != first)
            monitoring.set_local_events(tool, code, events.LINE)
        return disable

    def ran(code, line):
        found = _told.get(code.co_filename)
        if found is not None:
            found[0].add(line)
        return disable

    monitoring.register_callback(tool, events.PY_START, entered)
    monitoring.register_callback(tool, events.LINE, ran)
    monitoring.set_events(tool, events.PY_START)


def news():
    """For each file of the project: the lines that ran, and those of functions that were entered."""
    return {name: found for name, found in list(_told.items()) if found}
