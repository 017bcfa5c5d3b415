from accelerate import Accelerator, DeepSpeedPlugin


def train(model, loader, optimizer):
    accelerator = Accelerator(deepspeed_plugin=DeepSpeedPlugin(zero_stage=2))
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for x in loader:
        loss = model(x.cuda())
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()  # which the engine leaves to itself
