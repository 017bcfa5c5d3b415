from yacs.config import CfgNode as CN

_C = CN()
_C.DATA = CN()
_C.DATA.NUM_WORKERS = 8
_C.DATA.PIN_MEMORY = True


def get_config():
    return _C.clone()
