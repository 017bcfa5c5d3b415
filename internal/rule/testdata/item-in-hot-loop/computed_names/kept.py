KEPT = {}


def keep(cls):
    KEPT[cls.__name__.lower()] = cls
    return cls
