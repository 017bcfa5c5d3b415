import torch
from torch.profiler import ProfilerActivity, profile, schedule, tensorboard_trace_handler


def train(model, loader, optimizer, criterion):
    with profile(  # want SAT314 "never advances"
        activities=[ProfilerActivity.CUDA],
        schedule=schedule(wait=1, warmup=1, active=3),
        on_trace_ready=tensorboard_trace_handler("log"),
    ) as prof:
        for x, y in loader:
            loss = criterion(model(x.cuda()), y.cuda())
            loss.backward()
            optimizer.step()
    print(prof.key_averages())


def unnamed(model, loader, optimizer):
    with torch.profiler.profile(schedule=schedule(wait=1, warmup=1, active=3)):  # want SAT314 "never advances"
        for x in loader:
            model(x.cuda()).mean().backward()
            optimizer.step()


def assigned(model, loader, optimizer):
    prof2 = torch.profiler.profile(schedule=schedule(wait=1, warmup=1, active=3))  # want SAT314 "never advances"
    prof2.start()
    for x in loader:
        model(x.cuda()).mean().backward()
        optimizer.step()
    prof2.stop()


def everything(model, loader, optimizer):
    with profile() as all_of_it:  # want SAT314 "records every step"
        for x in loader:
            model(x.cuda()).mean().backward()
            optimizer.step()
    all_of_it.export_chrome_trace("trace.json")
