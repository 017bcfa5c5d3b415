import sys

from made import Made


def make(name):
    return globals()[name]()
