from text import rules


def clean(line, names):
    for name in names:
        line = getattr(rules, name)(line)
    return line
