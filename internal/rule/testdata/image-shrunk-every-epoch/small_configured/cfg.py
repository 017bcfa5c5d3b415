from yacs.config import CfgNode as CN
_C = CN()
_C.DATA = CN()
_C.DATA.ZIP_MODE = False
_C.DATA.WORKERS = 0


def update_config(config, args):
    config.defrost()
    if args.zip:
        config.DATA.ZIP_MODE = True
    config.freeze()


def get_config(args):
    config = _C.clone()
    update_config(config, args)
    return config
