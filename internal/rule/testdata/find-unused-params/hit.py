import lightning as L
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
