import importlib


def find(name):
    library = importlib.import_module("found." + name + "_net")
    for key, value in library.__dict__.items():
        if key.lower() == name.lower():
            return value
