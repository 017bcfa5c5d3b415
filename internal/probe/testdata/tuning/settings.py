"""A module of settings as the probe expects it: it only tells when it is called."""

polls = 0


def start(plan, report, hook):
    global tell
    tell = report
    report({"what": "start", "plan": plan})


def imported(name):
    if name == "torch":
        tell({"what": "torch"})


def poll():
    global polls
    polls += 1
    if polls == 2:
        raise RuntimeError("a setting that breaks while the program runs")


def finish():
    tell({"what": "finish", "polls": polls})
