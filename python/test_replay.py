"""Tests of saturate_gpu.replay with a stand-in for CUDA's graphs: python -m unittest test_replay (with torch)

The stand-in runs the step when a recording is made, puts all weights back, and runs it again for each replay: with the
arguments, the draws and the decisions of the recording.
"""

import collections
import contextlib
import copy
import random
import unittest
from unittest import mock

import torch
from saturate_gpu import replay


class Adder(torch.optim.Optimizer):
    """Subtracts gradients; like those of torch, it can read its rate from the device."""

    def __init__(self, parameters, lr):
        super().__init__(parameters, {"lr": lr, "momentum": 0.9, "capturable": False})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for parameter in (p for p in group["params"] if p.grad is not None):
                parameter -= group["lr"] * parameter.grad


class Graph:
    made = []  # numbers: what holds a graph is what is tested
    pools = collections.Counter()  # how many graphs use each

    def __init__(self):
        self.number, self.shares = len(Graph.made), None
        Graph.made.append(self.number)

    def __del__(self):
        Graph.pools[self.shares] -= 1

    def begin(self, pool):
        if pool is not None and Graph.pools[pool] <= 0:
            raise RuntimeError("use_count > 0 INTERNAL ASSERT FAILED")  # as CUDA's allocator says it
        self.shares = object() if pool is None else pool
        Graph.pools[self.shares] += 1

    def pool(self):
        return self.shares

    def replay(self):
        kept, state = self.owner.result, torch.get_rng_state()
        result = self.owner.step(*self.owner.arguments)
        torch.set_rng_state(state)  # a real one draws nothing on the host
        replay._copy(kept, replay._each(torch.Tensor.detach, result))
        self.owner.result = kept


@contextlib.contextmanager
def recording(graph, weights, owner, pool):
    graph.begin(pool)
    before = [weight.detach().clone() for weight in weights]
    yield
    graph.owner = owner()
    for weight, value in zip(weights, before):
        weight.data.copy_(value)


class Stepping(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        random.seed(0)
        replay.Recording.stream = replay.Recording.first = None
        Graph.made, Graph.pools = [], collections.Counter()
        stream = mock.MagicMock()
        for name, value in {"Stream": lambda: stream, "current_stream": lambda: stream, "CUDAGraph": Graph,
                            "stream": lambda _: contextlib.nullcontext()}.items():
            self.enterContext(mock.patch.object(torch.cuda, name, value))
        self.enterContext(mock.patch.object(torch.Tensor, "is_cuda", True))

    def enterContext(self, context):  # of unittest from Python 3.11 on
        value = context.__enter__()
        self.addCleanup(context.__exit__, None, None, None)
        return value

    def made(self, forward=None, rate=0.1):
        """A model, its step, and the step as it is replayed."""
        torch.manual_seed(1)
        model = torch.nn.Linear(4, 1)
        optimizer = Adder(model.parameters(), lr=rate)
        forward = forward or (lambda model, x: model(x))

        def step(x, y, *rest):
            loss = (forward(model, x) - y).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            return loss

        fast = replay.replayed(optimizer)(step)
        self.enterContext(mock.patch.object(
            torch.cuda, "graph", lambda graph, pool, **_: recording(graph, list(model.parameters()), lambda: self.newest(fast), pool)))
        return model, optimizer, step, fast

    def newest(self, fast):
        return next(one for one in fast.recordings.values() if one.graph and one.graph.number == Graph.made[-1])

    def batches(self, count, rows=3):
        generator = torch.Generator().manual_seed(2)
        return [(torch.randn(rows, 4, generator=generator), torch.randn(rows, 1, generator=generator)) for _ in range(count)]

    def test_same_losses(self):
        """With a rate that changes in every step, the losses and weights are those of the plain step."""
        model, optimizer, _, fast = self.made()
        plain, other, step, _ = self.made()
        with mock.patch.object(torch.cuda, "graph", lambda graph, pool, **_: recording(graph, list(model.parameters()), lambda: self.newest(fast), pool)):
            for at, (x, y) in enumerate(self.batches(8)):
                optimizer.param_groups[0]["lr"] = other.param_groups[0]["lr"] = 0.1 / (1 + at)
                got, want = fast(x, y), step(x, y).detach()
                self.assertTrue(torch.allclose(got, want, rtol=1e-5), (at, got, want))
                self.assertFalse(got.requires_grad)
                self.assertEqual(optimizer.param_groups[0]["lr"], 0.1 / (1 + at))
        self.assertTrue(torch.allclose(model.weight, plain.weight, rtol=1e-4))
        self.assertEqual(len(Graph.made), 1)

    def test_shapes(self):
        """Each shape has a recording of its own, and results of one call are not those of the next."""
        _, _, _, fast = self.made()
        for rows in (3, 5) * 6:
            fast(*self.batches(1, rows)[0])
        self.assertEqual(len(Graph.made), 2)
        held = [fast(x, y) for x, y in self.batches(2)]
        self.assertNotEqual(held[0].item(), held[1].item())

    def test_many_shapes(self):
        _, _, _, fast = self.made()
        for rows in list(range(1, replay.MOST + 4)) * 5:
            fast(*self.batches(1, rows)[0])
        self.assertEqual(len(Graph.made), replay.MOST)

    def test_other_settings(self):
        """What a recording holds leads to another one if it changes: a setting, weights that are frozen."""
        model, optimizer, _, fast = self.made()
        for change in (lambda: None, lambda: optimizer.param_groups[0].update(momentum=0.8), lambda: model.bias.requires_grad_(False)):
            change()
            for x, y in self.batches(5):
                fast(x, y)
        self.assertEqual(len(Graph.made), 3)

    def test_defined_again(self):
        """A step that each epoch defines anew is recorded once, unless it means another object."""
        model, optimizer, _, _ = self.made()

        def epoch(scale):
            @replay.replayed(optimizer)
            def step(x, y):
                loss = (model(x) * scale[0] - y).square().mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                return loss
            with mock.patch.object(torch.cuda, "graph", lambda graph, pool, **_: recording(
                    graph, list(model.parameters()), lambda: self.newest(step), pool)):
                for x, y in self.batches(4):
                    step(x, y)
        scale = [1.0]
        for one, made in (scale, 1), (scale, 1), ([1.0], 2):
            epoch(one)
            self.assertEqual(len(Graph.made), made)
        copy.deepcopy(optimizer)  # which programs do to keep it

    def test_plainly(self):
        """Without a GPU, and where compilation is off, nothing is recorded."""
        for context in (mock.patch.object(torch.Tensor, "is_cuda", False), mock.patch.dict("os.environ", {"TORCHDYNAMO_DISABLE": "1"})):
            with context:
                _, optimizer, _, fast = self.made()
                for x, y in self.batches(6):
                    fast(x, y)
                self.assertEqual((Graph.made, optimizer.param_groups[0]["capturable"]), ([], False))

    def test_draws_without_effect(self):
        """Draws that decide nothing are made again for each replay, so that later ones stay the same."""
        def forward(model, x):
            return x if torch.rand([]) < 0.0 else model(x)
        _, _, _, fast = self.made(forward)
        for x, y in self.batches(7):
            fast(x, y)
        later = torch.rand(1).item()
        self.assertEqual(len(Graph.made), 2)
        torch.manual_seed(1)
        torch.nn.Linear(4, 1)
        for _ in range(7):
            torch.rand([])
        self.assertEqual(later, torch.rand(1).item())

    def refused(self, forward, why):
        _, _, _, fast = self.made(forward)
        with self.assertRaisesRegex(RuntimeError, "cannot be recorded.*" + why):
            for x, y in self.batches(7):
                fast(x, y)

    def test_draws_that_decide(self):
        self.refused(lambda model, x: model(x) if torch.rand([]) < 0.9 else model(model.weight * 0 + x[:1]).expand(len(x), 1) + 0 * model(x), "torch.rand")
        self.refused(lambda model, x: model(x) * torch.rand([]).item(), "torch.rand")
        self.refused(lambda model, x: model(x) * random.random(), "draws random numbers")
        self.refused(lambda model, x: model(x * torch.randint(1, 9, ()).float()), "draws random numbers")

    def test_strange_arguments(self):
        _, _, _, fast = self.made()
        x, y = self.batches(1)[0]
        with self.assertRaisesRegex(RuntimeError, "given a object"):
            fast(x, y, object())
        for step in range(20):  # a number that changes: no recording could hold it
            fast(x, y, step)
        self.assertEqual(Graph.made, [])

    def test_nested(self):
        value = {"x": torch.ones(2), "more": [torch.zeros(1), (None, "a")]}
        other = replay._each(torch.Tensor.clone, value)
        self.assertEqual(other["more"][1], (None, "a"))
        value["x"] += 1
        replay._copy(other, value)
        self.assertEqual(other["x"].tolist(), [2, 2])


if __name__ == "__main__":
    unittest.main()
