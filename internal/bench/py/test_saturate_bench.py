"""Tests of saturate_bench with torch and JAX, by pytest or by python -m unittest. What needs torch or JAX is skipped without it; a CPU will do.

No test asserts how long something takes.
"""

from __future__ import annotations

import io
import itertools
import json
import math
import os
import sys
import tempfile
import types
import unittest
import warnings
import wave
from pathlib import Path
from unittest import mock

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true")  # compiling is most of the time
os.environ.setdefault("OMP_NUM_THREADS", "1")  # threads that wait for each other make a busy machine slow
sys.path.insert(0, str(Path(__file__).parent))

import saturate_bench_run as run
from saturate_bench import device, timing, work
from saturate_bench.layers import LayerSpec, Variant
from saturate_bench.work import Case

try:
    import torch

    from saturate_bench import torch_attention, torch_device, torch_layers, torch_loader, torch_trace
except ImportError:
    torch = None
try:
    import jax
    import jax.numpy as jnp
    import numpy as np

    from saturate_bench import jax_attention, jax_data, jax_device, jax_layers
except ImportError:
    jax = None

QUICK = {"warmup": 0, "iterations": 3, "max_seconds": 0.2, "flush": 1 << 20}
SMALL = Case(batch=2, seq=48, d_model=32, heads=4, dtype="fp32")


def setUpModule() -> None:
    timing.BATCH_SECONDS = 0  # no clock needs to rise for tests that look at no times


class Lab:
    """What holds for both frameworks; lab and array are set by those below."""

    def qkv(self, dtype: str = "fp32") -> list:
        return self.lab.random_qkv(Case(**vars(SMALL) | {"dtype": dtype}), self.device)

    def test_benchmark_function(self) -> None:
        got = self.lab.benchmark_function(lambda a: a + a, (self.qkv()[0],), 1, 4, cold=True, flush=1 << 16)
        self.assertEqual((len(got.wall_ms), len(got.cpu_ms), got.device_ms), (4, 4, None))
        self.assertTrue(all(t > 0 for t in got.wall_ms))
        self.assertGreaterEqual(got.warmup, 1)
        self.assertEqual(got.median_ms, sum(sorted(got.wall_ms)[1:3]) / 2)
        with self.assertRaisesRegex(ValueError, "iterations is 0"):
            self.lab.benchmark_function(int, (), 0, 0)

    def test_profile_and_bottleneck(self) -> None:
        small = mock.patch.multiple(self.lab, LARGE={True: (32,), False: (32,)}, copy_bytes=lambda cache: 1 << 16)
        with small:
            got = self.lab.profile_attention_components(48, 32, 4, batch=2, **QUICK)
        self.assertEqual(tuple(got["components"]), work.COMPONENTS)
        self.assertAlmostEqual(sum(c["share"] for c in got["components"].values()), 1)
        found = self.lab.identify_bottleneck(got)
        self.assertEqual(got["components"][found["component"]]["time_ms"], max(c["time_ms"] for c in got["components"].values()))
        self.assertIn(found["bound"], ("memory", "compute"))
        json.dumps([got, found])
        with self.assertRaisesRegex(ValueError, "5 heads do not divide"):
            self.lab.profile_attention_components(48, 32, 5)

    def test_components_are_the_parts_of_attention(self) -> None:
        shapes = {name: tuple(fn(*args).shape) for name, fn, args in self.lab.components(SMALL, self.device)}
        self.assertEqual(
            shapes,
            {
                "qkv_projection": (2, 48, 96),
                "scores": (2, 4, 48, 48),
                "softmax": (2, 4, 48, 48),
                "weighted_sum": (2, 4, 48, 8),
                "output_projection": (2, 48, 32),
            },
        )

    def test_levels_agree_with_float64(self) -> None:
        for causal, dtype, largest in ((False, "fp32", 1e-5), (True, "bf16", 0.05)):
            q, k, v = self.qkv(dtype)
            want = self.lab.reference(q, k, v, causal)
            for level in (0, 2) + self.more_levels:
                absolute, relative = self.lab.errors(self.lab.optimize_attention(q, k, v, level, causal=causal), want)
                self.assertLess(relative, largest, (level, dtype, causal))
                self.assertGreater(absolute, 0)

    def test_a_result_that_is_not_finite(self) -> None:
        q, k, v = self.qkv()
        with self.assertRaisesRegex(ArithmeticError, "NaN or infinity"):
            self.lab.errors(q * math.nan, self.lab.reference(q, k, v))

    def test_the_best_level_falls_back_with_a_warning(self) -> None:
        q, k, v = self.qkv()
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            got = self.lab.optimize_attention(q, k, v, 3)
        _, relative = self.lab.errors(got, self.lab.reference(q, k, v))
        self.assertLess(relative, 1e-4)
        if 3 not in self.more_levels:
            self.assertIn("level 2 is used instead", " ".join(str(w.message) for w in told))

    def test_benchmark_function_gives_seconds(self) -> None:
        self.assertGreater(self.lab.benchmark_function(lambda x: x + 1, self.qkv()[:1], 1, 6), 0)

    def test_unknown_level(self) -> None:
        with self.assertRaisesRegex(ValueError, "unknown level 4"):
            self.lab.optimize_attention(*self.qkv(), 4)

    def test_memory_of_the_scores_is_seen(self) -> None:
        q, k, v = self.qkv()
        scores = 4 * 2 * 4 * 48 * 48
        got = self.lab.measure_memory_usage(self.lab.at_level(self.plain), (q, k, v))
        self.assertGreaterEqual(got["extra_bytes"], scores)
        self.assertEqual(got["current_bytes"], 4 * q.nbytes)
        self.assertEqual(got["peak_bytes"], 3 * q.nbytes + got["extra_bytes"])

    def test_measured_level(self) -> None:
        q, k, v = self.qkv()
        got = self.lab.measure_level(q, k, v, 2, self.lab.reference(q, k, v), cache=("warm",), **QUICK)
        self.assertEqual((got["skipped"], got["backend"], got["cold"]), (None, self.backend, None))
        self.assertEqual(len(got["warm"]["wall_ms"]), 3)
        json.dumps(got)

    def test_layers(self) -> None:
        spec = LayerSpec("whisper-decoder", batch=2, seq=6, memory_seq=10, d_model=16, heads=2)
        kept = {}
        for checkpoint in (False, True):
            got = self.layers.measure_layer(spec, Variant("fp32", checkpoint, True), self.device, **QUICK)
            self.assertEqual(got["parameters"], spec.parameters())
            kept[checkpoint] = got["memory"]["held_bytes"]
            json.dumps(got)
        self.assertLess(kept[True], kept[False] / 3)

    def test_plan(self) -> None:
        """Everything a plan can ask for, and what goes wrong on the way."""
        plan = {
            "framework": self.name,
            "device": "cpu",
            "warmup": 0,
            "iterations": 1,
            "max_seconds": 0.1,
            "flush_bytes": 1 << 16,
            "ceilings": [],
            "levels": [0, 2],
            "attention": [vars(SMALL), vars(SMALL) | {"seq": 1 << 20}],
            "layers": [
                {
                    "layer": "transformer",
                    "batch": 1,
                    "seq": 4,
                    "d_model": 8,
                    "heads": 2,
                    "precision": ["bf16"],
                    "checkpoint": [False],
                    "passes": ["forward"],
                }
            ],
        }
        told = itertools.chain([{}, MemoryError("out of memory, as a test")], itertools.repeat({}))
        with mock.patch.object(self.lab, "kernels_of", side_effect=told):
            lines = carry_out(plan)
        kinds = [line["kind"] for line in lines if line["kind"] != "progress"]
        self.assertEqual(kinds, ["device", "component", "problem", "level", "level", "problem", "layer", "device", "end"])
        told = {line["what"]: line for line in lines if line["kind"] == "problem"}
        self.assertEqual(sorted(told), ["memory", "oom"])
        self.assertGreater(told["memory"]["needed_bytes"], told["memory"]["available_bytes"])
        self.assertEqual(lines[-1]["problems"], 2)
        self.assertEqual((lines[0]["type"], lines[0]["framework"], lines[0]["shared"]), ("cpu", self.name, False))
        done = [line["done"] for line in lines if line["kind"] == "progress"]
        self.assertEqual(done, sorted(set(done)))

    def test_device_that_is_not_there(self) -> None:
        with self.assertRaisesRegex(run.Refused, "cannot use the device 'cuda:7'"):
            carry_out({"framework": self.name, "device": "cuda:7"})


def carry_out(plan: dict) -> list[dict]:
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(plan, file)
        file.flush()
        out = io.StringIO()
        run.Runner(run.read_plan(file.name), out).run()
    return [json.loads(line) for line in out.getvalue().splitlines()]


@unittest.skipIf(torch is None, "torch is not installed")
class TorchTests(Lab, unittest.TestCase):
    name, plain, backend, more_levels = "torch", 0, "flash-cpu", (3,)

    @classmethod
    def setUpClass(cls) -> None:
        cls.lab, cls.layers, cls.device = torch_attention, torch_layers, torch.device("cpu")

    def test_flops_agree_with_torch(self) -> None:
        from torch.utils.flop_counter import FlopCounterMode

        for name, fn, args in torch_attention.components(SMALL, "cpu"):
            with FlopCounterMode(display=False) as counter:
                fn(*args)
            if name != "softmax":  # which torch does not count
                self.assertEqual(counter.get_total_flops(), work.work(SMALL)[name].flops, name)

    def test_compiled(self) -> None:
        q, k, v = self.qkv()
        got = torch_attention.measure_level(q, k, v, 1, torch_attention.reference(q, k, v), cache=("warm",), **QUICK)
        if got["skipped"]:
            self.skipTest(got["skipped"])
        self.assertLess(got["max_rel_error"], 1e-5)
        self.assertGreater(got["first_ms"], 0)

    def test_no_compiler_is_said(self) -> None:
        def no_compiler(*args: object, **kwargs: object) -> None:
            raise RuntimeError("No working C++ compiler found")

        q, k, v = self.qkv()
        with mock.patch.object(torch_attention, "compiled", lambda: no_compiler):
            got = torch_attention.measure_level(q, k, v, 1, q, **QUICK)
        self.assertEqual(got["skipped"], "torch.compile: RuntimeError: No working C++ compiler found")

    def test_device_times_are_between_events_round_each_call(self) -> None:
        said: list[str] = []

        class Event:
            def __init__(self, enable_timing: bool) -> None:
                self.at = 0

            def record(self) -> None:
                said.append("event")
                self.at = len(said)

            def elapsed_time(self, other: Event) -> float:
                return other.at - self.at

        buffer = mock.Mock(zero_=lambda: said.append("flush"))
        with mock.patch.multiple(torch.cuda, Event=Event, _sleep=lambda cycles: None, synchronize=lambda device: said.append("wait")):
            got = torch_attention.event_times(lambda: said.append("call"), torch.device("cuda", 0), buffer, 2, settle=3)
        self.assertEqual(said, ["flush", "call"] * 3 + ["flush", "event", "call", "event"] * 2 + ["wait"])
        self.assertEqual(got, [2, 2])

    @unittest.skipUnless(torch is not None and torch.cuda.is_available(), "there is no NVIDIA GPU")
    def test_on_a_gpu(self) -> None:
        for dtype, expected in (("bf16", "flash"), ("fp32", None)):
            q, k, v = torch_attention.random_qkv(Case(2, 256, 128, 2, dtype), "cuda")
            got = torch_attention.measure_level(q, k, v, 3, torch_attention.reference(q, k, v), **QUICK)
            self.assertEqual(got["backend"], expected, got)
            if expected is None:
                self.assertIn("flash attention:", got["skipped"])
                continue
            self.assertEqual((got["memory"]["source"], got["cold"]["device_clock"]), ("torch.cuda", "events"))
            self.assertTrue(all(t > 0 for t in got["cold"]["device_ms"]))

    def test_fused_attention_never_stores_the_scores(self) -> None:
        q, k, v = torch_attention.random_qkv(Case(1, 512, 16, 1, "fp32"), "cpu")
        extra = [torch_attention.measure_memory_usage(torch_attention.at_level(level), (q, k, v))["extra_bytes"] for level in (0, 2)]
        self.assertGreaterEqual(extra[0], 4 * 512 * 512)
        self.assertLess(extra[1], extra[0] / 2)

    def test_flash_that_cannot_be_had_is_skipped(self) -> None:
        def no_kernel(*args: object, **kwargs: object) -> None:
            raise RuntimeError("No available kernel. Aborting execution.")

        warned = [
            "Memory efficient kernel not used because: (Triggered internally at sdp_utils.cpp:1.)",
            "Memory Efficient attention has been runtime disabled. (Triggered internally at sdp_utils.cpp:2.)",
            "Flash attention kernel not used because: (Triggered internally at sdp_utils.cpp:3.)",
            "Expected query, key and value to all be of dtype: {Half, BFloat16}. (Triggered internally at sdp_utils.cpp:4.)",
        ]
        self.assertEqual(torch_attention.reasons(warned), ["Expected query, key and value to all be of dtype: {Half, BFloat16}."])
        q, k, v = self.qkv()
        with mock.patch.object(torch_attention.F, "scaled_dot_product_attention", no_kernel):
            got = torch_attention.measure_level(q, k, v, 3, q, **QUICK)
            with self.assertRaises(torch_attention.Unavailable):
                torch_attention.optimize_attention(q, k, v, 3, strict=True)
        self.assertEqual(got["skipped"], "flash attention: No available kernel. Aborting execution.")
        self.assertIsNone(got["warm"])

    def test_kernels_of_a_trace(self) -> None:
        events = [
            {"cat": "cpu_op", "name": "aten::_scaled_dot_product_flash_attention"},
            {"cat": "kernel", "name": "flash_fwd_kernel", "dur": 30.0, "args": {"est. achieved occupancy %": 20}},
            {"cat": "kernel", "name": "copy_kernel", "dur": 10.0, "args": {"est. achieved occupancy %": 100}},
        ]
        self.assertEqual(
            torch_trace.backend(events, "eager"), ("flash", ["aten::_scaled_dot_product_flash_attention", "flash_fwd_kernel", "copy_kernel"])
        )
        self.assertAlmostEqual(torch_trace.kernels_in(events)["occupancy"], 0.4)

    def test_out_of_memory_is_recognised(self) -> None:
        for err in (
            MemoryError(),
            torch.OutOfMemoryError("CUDA out of memory."),
            RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried"),
        ):
            self.assertTrue(torch_device.is_out_of_memory(err))
        self.assertFalse(torch_device.is_out_of_memory(RuntimeError("shape mismatch")))

    def test_loader(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for i in range(5):
                with wave.open(f"{folder}/{i}.wav", "wb") as file:
                    file.setparams((1 + i % 2, 2, 16000, 0, "NONE", ""))
                    file.writeframes(b"\x00\x40" * 1600 * (1 + i % 2))
            lines = carry_out(
                {
                    "framework": "torch",
                    "device": "cpu",
                    "loaders": [{"source": folder, "workers": [0, 0], "batch": 2, "batches": 9, "repeats": 2, "seconds": 0.2}],
                }
            )
            sample = torch_loader.AudioFolder(folder, 0.2)[0]
        self.assertEqual((sample.shape[0], float(sample[0]), float(sample[-1])), (3200, 0.5, 0))
        told = [line for line in lines if line["kind"] == "loader"]
        self.assertEqual(len(told), 2)  # workers are processes, which JAX in this one does not go with
        for line in told:
            self.assertEqual(line["samples"], [5, 5])
            self.assertEqual([len(waits) for waits in line["batch_ms"]], [3, 3])

    def test_audio_that_cannot_be_read_is_named(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "broken.wav").write_text("no sound")
            lines = carry_out({"framework": "torch", "device": "cpu", "loaders": [{"source": folder, "workers": [0]}]})
        told = [line["message"] for line in lines if line["kind"] == "problem"]
        self.assertEqual(len(told), 1)
        self.assertRegex(told[0], "broken.wav cannot be read: file does not start with RIFF")
        from_worker = ValueError("Caught it in worker.\nOriginal Traceback (most recent call last):\n  File\nValueError: a.wav cannot be read")
        self.assertEqual(run.in_a_line(from_worker), "ValueError: a.wav cannot be read")
        self.assertEqual(run.in_a_line(ValueError("in\n two lines")), "ValueError: in two lines")
        self.assertEqual([run.amount(n) for n in (139e9, 2.2e12, 3e21)], ["139 GB", "2.2 TB", "3,000,000 PB"])

    def test_loader_of_ones_own(self) -> None:
        data = torch.utils.data.TensorDataset(torch.arange(10), torch.arange(10))
        own = types.ModuleType("own_data")
        own.dataset = lambda: data
        own.loader = lambda: torch.utils.data.DataLoader(data, batch_size=5)
        own.nothing, own.words = lambda: 7, lambda: "words"
        with mock.patch.dict(sys.modules, {"own_data": own}):
            self.assertEqual(next(torch_loader.measure_loader("own_data:dataset", [0], batch=4, repeats=1))["samples"], [10])
            self.assertEqual(next(torch_loader.measure_loader("own_data:loader", [0], batches=1, repeats=1))["samples"], [5])
            returned = ("own_data:nothing", "returned a int"), ("own_data:words", "returned a str")
            for source, words in (*returned, ("own_data:lost", "cannot be used"), ("lost", "neither a folder nor")):
                with self.assertRaisesRegex(ValueError, words):
                    next(torch_loader.measure_loader(source, [0]))


@unittest.skipIf(jax is None, "jax is not installed")
class JaxTests(Lab, unittest.TestCase):
    name, plain, backend, more_levels = "jax", 1, "xla", (1,)

    @classmethod
    def setUpClass(cls) -> None:
        cls.lab, cls.layers, cls.device = jax_attention, jax_layers, jax.devices("cpu")[0]

    def test_cudnn_that_cannot_be_had_is_skipped(self) -> None:
        q, k, v = self.qkv()
        got = jax_attention.measure_level(q, k, v, 3, q, **QUICK)
        self.assertIn("cuDNN", got["skipped"])
        with self.assertRaises(jax_attention.Unavailable):
            jax_attention.optimize_attention(q, k, v, 3, strict=True)

    def test_kernels_are_told_apart_from_the_flushing(self) -> None:
        started: list[tuple[str, float]] = []

        def call() -> None:
            started.extend([("gemm", 1.0), ("softmax", 0.5)])

        def kernel_times(calls: object) -> list[tuple[str, float]]:
            started.clear()
            calls()
            return list(started)

        with mock.patch.object(jax_device, "kernel_times", kernel_times):
            flush = jax_device.Rewrite(1, self.device)
            flush.write = lambda buffer: started.append(("flush", 9.0))
            self.assertEqual(jax_device.device_times(call, flush, 3), [1.5, 1.5, 1.5])
            unknown = mock.Mock(kernels=lambda: 0)
            self.assertIsNone(jax_device.device_times(call, unknown, 3))
            started_once = itertools.chain([call], itertools.repeat(lambda: None))
            self.assertIsNone(jax_device.device_times(lambda: next(started_once)(), None, 3))

    def test_every_program_is_compiled_once(self) -> None:
        """Five parts, two levels, the reference and the errors; on a GPU each further one would take seconds."""
        compiled: list[str] = []

        def hear(event: str, seconds: float, **about: object) -> None:
            if event == "/jax/core/compile/backend_compile_duration":
                compiled.append(event)

        jax.monitoring.register_event_duration_secs_listener(hear)
        self.addCleanup(jax.monitoring.unregister_event_duration_listener, hear)
        common = {"framework": "jax", "device": "cpu", "warmup": 0, "iterations": 1, "flush_bytes": 1 << 16, "ceilings": [], "levels": [1, 2]}
        for seq in (20, 24):
            jax_device.flush_of(1 << 16, self.device)
            jax.clear_caches()
            compiled.clear()
            lines = carry_out(common | {"attention": [vars(SMALL) | {"seq": seq, "dtype": "bf16"}]})
            self.assertEqual(lines[-1], lines[-1] | {"kind": "end", "problems": 0})
            self.assertEqual(len(compiled), 5 + 2 + 2)

    def test_operands_repeat_without_two_rows_alike(self) -> None:
        with mock.patch.object(jax_data, "PERIOD", 101):
            got = jax_data.normal(np.random.default_rng(0), (50, 8), "bf16")
        self.assertEqual((got.shape, got.dtype), ((50, 8), jnp.bfloat16))
        self.assertEqual(len(np.unique(got.astype(np.float32), axis=0)), 50)
        self.assertEqual(got.flat[0], got.flat[101])

    def test_memory_op_by_op(self) -> None:
        args = self.qkv()
        got = jax_attention.measure_memory_usage(jax_attention.at_level(0), args)
        self.assertEqual((got["peak_bytes"], got["source"]), (None, "sizes of operands and result; the peak is unknown: it was too small to show in the process's memory"))  # too little to be seen
        self.assertEqual(got["current_bytes"], 4 * args[0].nbytes)
        if sys.platform != "linux":
            self.skipTest("resident memory is read as Linux tells it")
        large = [jnp.ones((1, 1536, 4, 8)) for _ in range(3)]
        got = jax_attention.measure_memory_usage(jax_attention.at_level(0), large)
        self.assertEqual(got["source"], "resident memory of the process")
        self.assertGreater(got["extra_bytes"], 4 * 4 * 1536**2 // 2)  # a table of scores, and more than one

    def test_books_of_a_device_that_never_forgets_its_peak(self) -> None:
        class Gpu:
            """Keeps books like XLA's; calls take 3 MB and then hold 1."""

            platform, in_use, peak, limit = "gpu", 10 << 20, 90 << 20, 200 << 20

            def memory_stats(self) -> dict[str, int]:
                return {"bytes_in_use": self.in_use, "peak_bytes_in_use": self.peak}

            def take(self, size: int) -> None:
                if self.in_use + size > self.limit:
                    raise RuntimeError("RESOURCE_EXHAUSTED")
                self.in_use += size
                self.peak = max(self.peak, self.in_use)

        class Filling:
            def __init__(self, shape: tuple[int, int], dtype: object, device: Gpu) -> None:
                device.take(shape[0] * shape[1])
                self.device, self.size = device, shape[0] * shape[1]

            def __del__(self) -> None:
                if hasattr(self, "size"):
                    self.device.in_use -= self.size

        unknown = None, "sizes of operands and result"
        for limit, want in ((200 << 20, (3 << 20, "memory_stats")), (92 << 20, unknown), (90 << 20, unknown)):
            gpu = Gpu()
            gpu.limit = limit  # room for both, for the one or the other, for the call alone

            def call() -> int:
                gpu.take(3 << 20)
                gpu.in_use -= 2 << 20
                return 1

            with mock.patch.object(jax_device.jnp, "zeros", Filling):
                self.assertEqual(jax_device.watched(call, gpu), (1, *want))
                self.assertLess(gpu.in_use, 20 << 20)

    @unittest.skipIf(torch is None, "torch is not installed")
    def test_layers_compute_the_same_as_torch(self) -> None:
        spec = LayerSpec("whisper-decoder", batch=2, seq=6, memory_seq=10, d_model=16, heads=2)
        layer = torch_layers.Layer(spec)
        x, memory = torch.randn(2, 6, 16), torch.randn(2, 10, 16)

        def dense(linear: torch.nn.Linear) -> dict:
            return {"w": linear.weight.detach().numpy().T} | ({"b": linear.bias.detach().numpy()} if linear.bias is not None else {})

        def norm(given: torch.nn.LayerNorm) -> dict:
            return {"scale": given.weight.detach().numpy(), "bias": given.bias.detach().numpy()}

        def attention(given: torch.nn.Module) -> dict:
            return {name: dense(getattr(given, name)) for name in ("query", "key", "value", "out")}

        params = {"norm": norm(layer.norm), "attention": attention(layer.attention)}
        params |= {"cross_norm": norm(layer.cross_norm), "cross_attention": attention(layer.cross_attention)}
        params |= {"mlp_norm": norm(layer.mlp[0]), "up": dense(layer.mlp[1]), "down": dense(layer.mlp[3])}
        got = jax_layers.apply_layer(params, x.numpy(), memory.numpy(), heads=2, causal=True, dtype=jnp.float32)
        np.testing.assert_allclose(np.asarray(got), layer(x, memory).detach().numpy(), atol=2e-5)


class PlanTests(unittest.TestCase):
    def test_bad_plans(self) -> None:
        case = vars(SMALL)
        for wrong, words in (
            ({"framework": "tensorflow"}, "unknown framework 'tensorflow'"),
            ({"iterations": 0}, "iterations is 0"),
            ({"cache": ["hot"]}, "cache is"),
            ({"levels": [5]}, "levels is"),
            ({"fp32": "fp64"}, "fp32 is 'fp64'"),
            ({"protocol": 2}, "protocol 2"),
            ({"colour": "red"}, "unknown fields: colour"),
            ({"attention": [case | {"heads": 3}]}, "3 heads do not divide a width of 32"),
            ({"attention": [case | {"dtype": "int8"}]}, "unknown dtype 'int8'"),
            ({"attention": [{"batch": 1}]}, "an attention of the plan is not complete"),
            ({"layers": [{"layer": "mamba"}]}, "unknown layer 'mamba'"),
            ({"layers": [{"layer": "transformer", "precision": ["fp8"]}]}, "unknown precision 'fp8'"),
            ({"loaders": [{"source": "x", "batch": 0}]}, "batch of a loader is 0"),
            ({"loaders": [{}]}, "no source"),
        ):
            with self.assertRaisesRegex(run.Refused, words):
                carry_out({"framework": "torch"} | wrong)

    def test_a_framework_that_is_not_installed(self) -> None:
        with mock.patch.dict(sys.modules, {"saturate_bench.jax_device": None}):
            with self.assertRaisesRegex(run.Refused, "jax cannot be imported by") as caught:
                carry_out({"framework": "jax", "device": "cpu"})
        self.assertEqual(caught.exception.what, "framework")

    def test_forward_alone_has_nothing_to_checkpoint(self) -> None:
        ways = LayerSpec("transformer", precision=["fp32"]).variants()
        self.assertEqual(ways, [Variant("fp32", False, False), Variant("fp32", False, True), Variant("fp32", True, True)])


if __name__ == "__main__":
    unittest.main()
