def lower(line):
    return line.lower()
