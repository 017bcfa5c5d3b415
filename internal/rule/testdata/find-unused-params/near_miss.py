from accelerate import Accelerator, DeepSpeedPlugin, DistributedDataParallelKwargs
from torch.nn.parallel import DistributedDataParallel


def wrap(model, rank, unused):
    a = DistributedDataParallel(model, device_ids=[rank])
    b = DistributedDataParallel(model, device_ids=[rank], find_unused_parameters=False)
    c = DistributedDataParallel(model, device_ids=[rank], find_unused_parameters=unused)
    return a, b, c


def deepspeed():
    plugin = DeepSpeedPlugin(hf_ds_config="zero2.json")
    return Accelerator(kwargs_handlers=[DistributedDataParallelKwargs(find_unused_parameters=True)], deepspeed_plugin=plugin)
