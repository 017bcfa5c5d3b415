import heads
from mmcv import Config
from mmcv.parallel import MMDataParallel
from mmcv.runner import build_optimizer, build_runner
from registries import SEGMENTORS


def main(loaders):
    config = Config.fromfile("config.py")
    model = MMDataParallel(SEGMENTORS.build(config.model).cuda())
    runner = build_runner(config.runner, {"model": model, "optimizer": build_optimizer(model, config.optimizer)})
    runner.run(loaders, config.workflow)


main([])
