"""The way a step goes on a GPU, without one: events by the host's clock, and steps that are recorded and replayed."""

import time

import torch
from planted import BATCH, STEPS, Model, Optimizer, Samples, collate, slept, step_over, work
from saturate_probe import on_torch
from torch.utils.data import DataLoader


class Event:
    def __init__(self, enable_timing):
        self.at = None

    def record(self):
        assert not Graph.recording, "an event must not get into a recording"
        self.at = time.perf_counter()

    def query(self):
        return True

    def elapsed_time(self, other):
        return 1e3 * (other.at - self.at)


class Graph:
    recording = False

    def capture_begin(self):
        Graph.recording = True

    def capture_end(self):
        Graph.recording = False

    def replay(self):
        work("replay")
        step_over()


torch.cuda.is_initialized = lambda: True
torch.cuda.Event, torch.cuda.CUDAGraph = Event, Graph
on_torch.current.graphs()

model = Model()
optimizer = Optimizer(model.parameters(), lr=0.01)


def train_step(batch):
    loss = model(batch["x"], batch["labels"])["loss"]
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


graph = None
for i, batch in enumerate(DataLoader(Samples(), batch_size=BATCH, collate_fn=collate)):
    batch["x"].to("meta")  # stands for a copy to the device
    if i < 3:
        train_step(batch)
        continue
    if graph is None:
        graph = Graph()
        graph.capture_begin()
        train_step(batch)
        graph.capture_end()
        slept.pop()  # the step is over when it is replayed
    graph.replay()
