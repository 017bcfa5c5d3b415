import lightning as L
import torch
from accelerate import Accelerator, DistributedDataParallelKwargs
from lightning.pytorch.strategies import DDPStrategy
from torch.nn.parallel import DistributedDataParallel
from transformers import TrainingArguments


def wrap(model, rank):
    return DistributedDataParallel(model, device_ids=[rank], find_unused_parameters=True)  # want SAT603 "searches the graph"


kwargs = DistributedDataParallelKwargs(find_unused_parameters=True)  # want SAT603 "searches"
accelerator = Accelerator(kwargs_handlers=[kwargs])
trainer = L.Trainer(strategy="ddp_find_unused_parameters_true")  # want SAT603 "searches"
strategy = DDPStrategy(find_unused_parameters=True)  # want SAT603 "searches"
args = TrainingArguments("out", ddp_find_unused_parameters=True)  # want SAT603 "searches"


def by_a_condition(model, rank):
    return DistributedDataParallel(
        model,
        device_ids=[rank],
        find_unused_parameters=(not getattr(model, "checkpointing", False) if isinstance(model, torch.nn.Module) else True),  # want SAT603 "searches the graph"
    )
