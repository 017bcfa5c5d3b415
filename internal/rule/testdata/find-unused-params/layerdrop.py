import torch
from accelerate import Accelerator, DistributedDataParallelKwargs
from transformers import Wav2Vec2ForCTC


def train(loader):
    model = Wav2Vec2ForCTC.from_pretrained("facebook/wav2vec2-base", layerdrop=0.1)
    ddp = DistributedDataParallelKwargs(find_unused_parameters=True)
    accelerator = Accelerator(kwargs_handlers=[ddp])
    optimizer = torch.optim.AdamW(model.parameters())
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        accelerator.backward(model(**batch).loss)
        optimizer.step()
        optimizer.zero_grad()
