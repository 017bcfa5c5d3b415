from . import by_eval
from .brought import Brought
