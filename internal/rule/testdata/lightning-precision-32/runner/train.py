import torch
from mmcv import Config
from mmcv.parallel import MMDataParallel
from mmcv.runner import build_optimizer, build_runner

from heads import make_model, make_loaders


def main():
    config = Config.fromfile("base.py")
    model = MMDataParallel(make_model(config).cuda(0), device_ids=[0])
    runner = build_runner(config.runner, default_args=dict(model=model, optimizer=build_optimizer(model, config.optimizer)))
    runner.run(make_loaders(config), config.workflow)  # want SAT702 "float32"


if __name__ == "__main__":
    main()
