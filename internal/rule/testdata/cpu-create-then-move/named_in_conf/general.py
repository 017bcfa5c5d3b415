def get_class(name):
    parts = name.split(".")
    found = __import__(".".join(parts[:-1]))
    for part in parts[1:]:
        found = getattr(found, part)
    return found
