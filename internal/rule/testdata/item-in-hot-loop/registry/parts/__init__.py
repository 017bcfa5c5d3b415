from . import hooks
