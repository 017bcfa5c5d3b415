# Chooses settings for this machine; the same as Choose on the Go side, and a test compares both.


def _fact(machine, name):
    outer, _, inner = name.partition(".")
    if name == "device":
        return "cuda" if machine["backend"] == "rocm" else machine["backend"]
    if inner:
        return (machine.get(outer) or {}).get(inner)
    return machine.get(name, machine.get("variables", {}).get(name))


def _number(text):
    """Parts of a version or number; what follows the digits of a part does not count."""
    parts = [int("".join(d for d in _leading(part)) or 0) for part in str(text).split(".")]
    while parts and parts[-1] == 0:
        parts.pop()
    return parts


def _leading(part):
    for letter in part:
        if not letter.isdigit():
            return
        yield letter


def _holds(condition, machine):
    words = condition.split()
    value = _fact(machine, words[0])
    here = "" if value is None or isinstance(value, (list, dict)) else str(value)
    if words[1:] == ["known"]:
        return bool(value)
    operator, wanted = words[1], words[2:]
    if operator == "has":
        return wanted[0] in (value or ())
    if operator == "in":
        return here in wanted
    if operator in ("=", "!="):
        return (here == wanted[0]) == (operator == "=")
    return here != "" and (_number(here) >= _number(wanted[0])) == (operator == ">=")


def _resolved(value, machine):
    if not isinstance(value, str) or not value.startswith("="):
        return value
    name, _, rest = value[1:].partition("/")
    found = _fact(machine, name)
    if rest and isinstance(found, int):
        return max(1, found // int(rest))
    return "%s/%s" % (found, rest) if rest else found


def _free(way, machine):
    """The user's own variables take precedence."""
    for v in way.get("env", ()):
        for name in [v["name"]] + v.get("rivals", []):
            theirs = machine.get("variables", {}).get(name, "")
            if theirs and (not v.get("join") or name != v["name"] or v["key"] in theirs):
                return False
    return True


def fitting(setting, machine):
    """The setting with the ways that fit this machine, and their values; None if none fits."""
    if machine["backend"] not in setting["backends"] or setting.get("library") and not machine.get(setting["library"]):
        return None
    if not all(_holds(c, machine) for c in setting.get("needs", ())):
        return None
    setting = json.loads(json.dumps(setting))
    setting["ways"] = [w for w in setting["ways"] if all(_holds(c, machine) for c in w.get("when", ())) and _free(w, machine)]
    for way in setting["ways"]:
        if "value" in way:
            way["value"] = _resolved(way["value"], machine)
        if "start" in way:
            way["start"] = way["start"].replace("{value}", str(way["value"]))
        for part in way.get("env", []) + way.get("knobs", []):
            part["value"] = _resolved(part["value"], machine)
        for variable in way.get("env", ()):
            variable["value"] = str(variable["value"])
    effect = setting.get("effect") or {}
    effect["args"] = [_resolved(a, machine) for a in effect.get("args", ())]
    return setting if setting["ways"] else None


def choose(machine, level):
    chosen, groups = [], set()
    for setting in TABLE["settings"]:
        fit = fitting(setting, machine) if setting["level"] <= level else None
        group = setting.get("group")
        if fit is None or group in groups and (setting["level"] < 2 or level < 2):
            continue
        chosen.append(fit)
        groups |= {group} - {None, ""}
    return chosen


# Inside a program.


def apply_platform_optimizations(backend, model=None, optimization_level=1):
    """Applies the settings for a backend (cuda, rocm, mps, cpu) and says in the log what was applied.

    0: safe settings; 1: also those that the hardware supports; 2: also candidates, which are measured on the model
    and kept if they help. Settings that must be made before Python starts are named in the log, with their variable.
    Returns what was observed of each setting. Never raises.
    """
    said = []
    try:
        level = max(0, min(2, int(optimization_level)))
        machine = detect(flags=False)
        if backend != machine["backend"] and backend not in ("cpu", "auto"):
            log.warning("no %s device found; using settings for %s", backend, machine["backend"])
        machine["backend"] = "cpu" if backend == "cpu" else machine["backend"]
        imported_here = [s for s in choose(machine, level) if not s.get("library") or s["library"] in sys.modules]
        for setting in [s for s in imported_here if s["level"] < 2]:
            say = _inside(setting)
            said.append(say)
            _log(setting, say)
        if level == 2 and model is not None:
            said += _measured([s for s in imported_here if s["level"] == 2], model)
    except Exception as error:
        log.warning("settings for %s: %s", backend, error)
    return said


def apply(names, values=None):
    """Applies settings by name, of any level; values replaces values of the table.

    Returns what was observed of each. Never raises.
    """
    said = []
    try:
        machine, values = detect(flags=False), values or {}
        for setting in TABLE["settings"]:
            if setting["name"] not in names:
                continue
            fit = fitting(setting, machine)
            if fit is None:
                said.append({"setting": setting["name"], "when": "applied", "in_effect": False, "error": "not suited to this machine"})
                continue
            for way in fit["ways"] if setting["name"] in values else ():
                for part in way.get("knobs", []) + ([way] if way.get("hook") else []):
                    part["value"] = values[setting["name"]]
            said.append(_inside(fit))
        known = {s["name"] for s in TABLE["settings"]}
        said += [{"setting": n, "when": "applied", "in_effect": False, "error": "unknown setting"} for n in names if n not in known]
    except Exception as error:
        log.warning("settings %s: %s", names, error)
    return said


def read_back():
    """Which of the applied settings are in effect."""
    return [applied.observe("read") for applied in _applied.values()]


def effects():
    """The same, after checking their effects; that puts some work on the device."""
    return [applied.observe("read", probe=True) for applied in _applied.values()]


def _inside(setting):
    """It is too late for a variable that is not in the environment; what can be set from inside is set."""
    late = [v for w in setting["ways"][:1] for v in w.get("env", ()) if v["value"] not in os.environ.get(v["name"], "")]
    if late and not any(k.get("set") for k in setting["ways"][0].get("knobs", ())):
        text = " ".join("%s=%s" % (v["name"], v["value"]) for v in late)
        return {"setting": setting["name"], "when": "applied", "requested": text, "in_effect": False,
                "error": "must be set before Python starts: %s" % text}
    return _use(setting)


def _log(setting, say):
    if say.get("error"):
        log.warning("%s: not applied: %s", setting["name"], say["error"])
    elif say.get("in_effect") is False:
        log.warning("%s: requested %s, but it is not in effect (%s)", setting["name"], say["requested"], say.get("read"))
    else:
        log.info("%s: %s (%s)", setting["name"], say["requested"], setting["title"])


WARM_UP, TIMED, SMALL = 3, 5, 1000000  # calls, calls, parameters of a model that is worth measuring


def _measured(candidates, model):
    """Times each candidate that can change while the program runs against the model as it is, in turns, and keeps what helps."""
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(model, torch.nn.Module):
        log.info("level 2: no torch model to measure")
        return []
    if sum(p.numel() for p in model.parameters()) < SMALL:
        log.info("level 2: not measured: the model has less than a million parameters")
        return []
    inputs = _example(torch, model)
    if inputs is None:
        log.info("level 2: not measured: no known input for a %s", type(model).__name__)
        return []
    said = []
    for setting in candidates:
        if not setting.get("live"):
            continue
        plain, tuned = [], []
        try:
            for _ in range(2):  # there and back, so that a drift of the machine does not favor one side
                plain += _time(torch, model, inputs)
                say = _inside(setting)
                if say.get("in_effect") is not True:
                    break
                tuned += _time(torch, model, inputs)
                _applied.pop(setting["name"]).undo()
        except Exception as error:
            say = {"setting": setting["name"], "error": str(error).split("\n")[0][:200]}
        helps = len(tuned) == len(plain) > 0 and max(sorted(tuned)[:-2]) < min(sorted(plain)[2:])
        if setting["name"] in _applied:
            _applied.pop(setting["name"]).undo()
        if helps:
            say = _inside(setting)
        say["effect"] = "%.2f ms instead of %.2f ms" % (1000 * sorted(tuned)[len(tuned) // 2], 1000 * sorted(plain)[len(plain) // 2]) if tuned else None
        say["kept"] = helps
        said.append(say)
        log.info("%s: %s: %s", setting["name"], say["effect"] or say.get("error") or "not in effect", "kept" if helps else "not kept")
    return said


def _time(torch, model, inputs):
    """Seconds of each timed call, after the warm-up."""
    (args, kwargs), times = inputs, []
    device = next(model.parameters()).device.type
    wait = {"cuda": torch.cuda.synchronize, "mps": lambda: torch.mps.synchronize()}.get(device, lambda: None)
    with torch.no_grad():
        for i in range(WARM_UP + TIMED):
            wait()
            begin = time.perf_counter()
            model(*args, **kwargs)
            wait()
            times.append(time.perf_counter() - begin)
    return times[WARM_UP:]


def _example(torch, model):
    """Inputs for a batch of one, on the model's device."""
    try:
        device = next(model.parameters()).device
        found = example_inputs(torch, model)
        if found is not None:
            args, kwargs, _ = found
            return [a.to(device) for a in args], {name: a.to(device) for name, a in kwargs.items()}
    except Exception as error:
        log.info("level 2: %s", error)
    return None


def _main(verb, path=None):
    global _checking
    _checking = True
    if verb == "detect":
        sys.stdout.write("\n" + json.dumps(detect()) + "\n")
        return
    with open(path) as file:
        plan = json.load(file)
    start(plan, lambda say: None, hook=False)
    for library in [name for name in LIBRARIES if name in _waiting]:
        try:
            __import__(library)
            imported(library)
        except ImportError:
            pass
    seen = [applied.observe("checked", probe=True) for applied in _applied.values()]
    for name in reversed(list(_applied)):
        applied = _applied.pop(name)
        way, late = applied.way or {}, applied.hook is not None or applied.old
        applied.undo()
        if late and not way.get("env"):  # what came with the environment cannot be undone
            seen.append(applied.observe("undone", probe=True))
    for say in seen:
        sys.stdout.write("\n" + json.dumps(say))
    sys.stdout.write("\n")


if __name__ == "__main__":
    _main(*sys.argv[1:])
