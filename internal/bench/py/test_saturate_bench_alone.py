"""Tests of what saturate_bench does without a framework: its clock, its arithmetic, what it hears from nvidia-smi.

No test asserts how long something takes.
"""

from __future__ import annotations

import math
import pickle
import os
import stat
import sys
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).parent))

from saturate_bench import device, roofline, timing, work
from saturate_bench.work import Case

SMALL = Case(batch=2, seq=48, d_model=32, heads=4, dtype="fp32")
CEILINGS = {"flops_per_s": 700e12, "bytes_per_s": 4e12}  # about an H200


class TimingTests(unittest.TestCase):
    def test_interval_of_the_median(self) -> None:
        self.assertIsNone(timing.median_interval([1.0, 2, 3, 4, 5]))  # five have 93.75% at most
        self.assertEqual(timing.median_interval([6.0, 5, 4, 3, 2, 1]), (1, 6))
        self.assertEqual(timing.median_interval([float(i) for i in range(10)]), (1, 8))  # 97.9%; (2, 7) would be 89%

    def test_warming_up_ends_when_times_fall_no_more(self) -> None:
        falling = iter([9.0, 8, 7, 4, 4, 4, 4, 4, 4])
        calls, steady = timing.warm_up(lambda: next(falling), 3, limit=math.inf)
        self.assertEqual((calls, steady), (9, True))

    def test_warming_up_is_bounded(self) -> None:
        times = iter(2.0**-i for i in range(10000))
        calls, steady = timing.warm_up(lambda: next(times), 5, limit=0)
        self.assertEqual((calls, steady), (5, False))

    def test_caches_are_emptied_before_every_timed_call(self) -> None:
        said: list[str] = []
        got = timing.time_calls(
            lambda: said.append("call"),
            lambda _: said.append("wait"),
            lambda: said.append("flush"),
            warmup=0,
            iterations=4,
            max_seconds=60,
            waiting_is_work=True,
        )
        self.assertEqual(said[-12:], ["flush", "call", "wait"] * 4)
        self.assertEqual((len(got.wall_ms), len(got.cpu_ms), got.cut), (4, 4, False))

    def test_a_series_is_cut_when_time_is_up(self) -> None:
        got = timing.time_calls(int, int_of, None, warmup=0, iterations=50, max_seconds=0, waiting_is_work=True)
        self.assertEqual((len(got.wall_ms), got.cut), (timing.FEWEST, True))

    def test_zero_iterations_are_refused(self) -> None:
        with self.assertRaisesRegex(ValueError, "iterations is 0"):
            timing.time_calls(int, int_of, None, warmup=0, iterations=0, max_seconds=1, waiting_is_work=True)


class SecondsTests(unittest.TestCase):
    def test_it_is_a_number_with_its_raw_times(self) -> None:
        got = pickle.loads(pickle.dumps(timing.Seconds(took(250.0))))
        self.assertIsInstance(got, float)
        self.assertEqual((got, got.median_ms, got.wall_ms), (0.25, 250.0, [250.0]))
        self.assertGreater(got, 0)

    def test_plain_times_have_a_bottleneck(self) -> None:
        got = roofline.identify_bottleneck({"softmax": 1.0, "my own part": timing.Seconds(took(3000.0))})
        self.assertEqual((got["component"], got["title"], got["share"], got["bound"]), ("my own part", "my own part", 0.75, None))
        self.assertIn("fused", roofline.identify_bottleneck({"scores": {"time_ms": 2}})["recommendation"])
        with self.assertRaises(ValueError):
            roofline.identify_bottleneck({})


def int_of(_: object) -> int:
    return 0


def took(ms: float) -> timing.Timing:
    return timing.Timing([ms], [ms], None, None, 0, True, False)


class WorkTests(unittest.TestCase):
    def test_by_hand(self) -> None:
        got = work.work(Case(batch=2, seq=3, d_model=8, heads=2, dtype="bf16"))
        self.assertEqual(got["qkv_projection"], work.Work(2 * 3 * 2 * 8 * 24, 2 * (48 + 192 + 144)))
        self.assertEqual(got["scores"], work.Work(2 * 2 * 2 * 3 * 3 * 4, 2 * (48 + 48 + 36)))
        self.assertEqual(got["softmax"], work.Work(5 * 36, 2 * 2 * 36))
        self.assertEqual(got["output_projection"], work.Work(2 * 3 * 2 * 8 * 8, 2 * (48 + 48 + 64)))

    def test_bad_cases(self) -> None:
        for wrong, words in (
            ({"heads": 7}, "7 heads do not divide a width of 32"),
            ({"dtype": "fp8"}, "unknown dtype 'fp8'"),
            ({"batch": 0}, "batch is 0"),
            ({"seq": 1.5}, "seq is 1.5"),
        ):
            with self.assertRaisesRegex(ValueError, words):
                Case(**vars(SMALL) | wrong)

    def test_bottleneck(self) -> None:
        roofs = [
            {"what": "gemm", "m": 10, "n": 10, "k": 10, "timing": took(2000 / CEILINGS["flops_per_s"] * 1000)},
            {"what": "copy", "bytes": 4e9, "timing": took(1)},
        ]
        times = {"qkv_projection": took(0.03), "scores": took(0.1), "softmax": took(0.2), "weighted_sum": took(0.1), "output_projection": took(0.02)}
        profile = roofline.profile_results("torch", "cuda:0", Case(8, 1024, 512, 8, "bf16"), roofs, times)
        got = roofline.identify_bottleneck(profile)
        self.assertEqual((got["component"], got["bound"]), ("softmax", "memory"))
        self.assertAlmostEqual(got["share"], 0.2 / 0.45)
        self.assertAlmostEqual(got["roof_ratio"], 8 * 8 * 1024 * 1024 * 4 / 4e12 / 0.2e-3)
        self.assertIn("fused attention", got["recommendation"])
        table = roofline.format_profile(profile)
        self.assertIn("Softmax                    0.2     44.4%  memory       33.6%\n", table)
        self.assertIn("Bottleneck: Softmax (44.4%), memory-bound\n", table)

    def test_large_projections_are_compute_bound(self) -> None:
        for name, done in work.work(Case(8, 4096, 2048, 16, "bf16")).items():
            expected = {"softmax": "memory", "qkv_projection": "compute", "output_projection": "compute"}.get(name)
            if expected:
                self.assertEqual(roofline.bound_of(done, CEILINGS)[1], expected, name)


class DeviceTests(unittest.TestCase):
    """With an nvidia-smi of our own: what a hot or shared GPU would say."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.program = Path(folder.name) / "nvidia-smi"
        patched = mock.patch.dict(os.environ, {"PATH": folder.name + os.pathsep + os.environ["PATH"]})
        patched.start()
        self.addCleanup(patched.stop)

    def say(self, apps: str, *samples: str) -> None:
        lines = "\n".join(f"echo '{line}'" for line in samples)
        answers = f'case "$*" in *compute-apps*) echo "{apps}"; exit;; *event_reasons*) exit 2;; *-lms*) ;; *) echo "{samples[0]}"; exit;; esac'
        self.program.write_text(f"#!/bin/sh\n{answers}\n{lines}\nexec sleep 60\n")
        self.program.chmod(self.program.stat().st_mode | stat.S_IEXEC)

    @unittest.skipIf(os.name == "nt", "a shell script stands in for nvidia-smi")
    def test_heat_and_company_are_seen(self) -> None:
        self.say(
            "4711, python, 1024",
            "1980, 1980, 2619, 40, 300.5, 700, 545, 99, 0x0000000000000004",
            "1200, 1980, 2619, 91, 650, 700, 600, 99, 0x0000000000000064",
        )
        self.assertEqual(device.processes("0"), [{"pid": 4711, "name": "python", "bytes": 1 << 30}])
        watch = device.Watch("0")
        self.addCleanup(watch.close)
        deadline = time.monotonic() + 30
        while len(watch.samples) < 2 and time.monotonic() < deadline:
            time.sleep(0.01)
        got = watch.since(0)
        self.assertEqual(got["sm_mhz"], [1200, 1590, 1980])
        self.assertEqual(got["reasons"], ["sw_power_cap", "sw_thermal_slowdown", "hw_thermal_slowdown"])
        self.assertTrue(got["throttled"])

    def test_a_power_cap_alone_is_no_throttling(self) -> None:
        got = device.summary([[1900.0, 1980.0, 2619.0, 40.0, 690.0, 700.0, 545.0, 99.0, 4.0]])
        self.assertEqual((got["reasons"], got["throttled"]), (["sw_power_cap"], False))

    def test_a_low_clock_counts_when_busy_and_not_at_the_power_limit(self) -> None:
        for busy, reasons, throttled in ((0.0, 1.0, False), (99.0, 0.0, True), (99.0, 4.0, False)):
            got = device.summary([[1345.0, 1980.0, None, None, None, None, None, busy, reasons]])
            self.assertEqual(got["throttled"], throttled, (busy, reasons))

    def test_without_a_gpu_nothing_is_said(self) -> None:
        self.assertIsNone(device.Watch(None).since(0))


if __name__ == "__main__":
    unittest.main()
