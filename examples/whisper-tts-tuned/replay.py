"""Replays a training step as one CUDA graph, so that the host launches one thing instead of thousands."""

import torch


class Replay:
    """Runs step(*batch) plainly for the first calls, then records it and replays the recording.

    The step must do the same device work every time, on inputs of the same shapes, without waiting for the device.
    What changes from step to step has to live in device memory: the inputs, the weights, the learning rate.
    """

    def __init__(self, step, plain_calls=3):
        self.step = step
        self.plain_calls = plain_calls
        self.stream = torch.cuda.Stream()
        self.graph = None

    def __call__(self, *batch):
        if self.plain_calls > 0:
            self.plain_calls -= 1
            return self.run_plainly(batch)
        if self.graph is None:
            self.record(batch)
        for place, new in zip(self.inputs, batch):
            place.copy_(new)
        self.graph.replay()
        return self.loss

    def run_plainly(self, batch):
        self.stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self.stream):
            loss = self.step(*batch)
        torch.cuda.current_stream().wait_stream(self.stream)
        return loss

    def record(self, batch):
        self.inputs = [part.clone() for part in batch]
        self.graph = torch.cuda.CUDAGraph()
        # The loader's thread goes on pinning memory, which a recording forbids to its own thread only.
        with torch.cuda.graph(self.graph, stream=self.stream, capture_error_mode="thread_local"):
            self.loss = self.step(*self.inputs)
