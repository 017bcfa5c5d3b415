from . import moved
