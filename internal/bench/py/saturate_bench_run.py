"""Carries out a plan of measurements in one framework and writes one JSON object a line.

`python saturate_bench_run.py --plan plan.json` is how saturate itself runs saturate_bench.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import importlib
import json
import os
import platform
import sys
import time
import traceback
from collections.abc import Iterator
from typing import Any, TextIO

from saturate_bench import device as machine
from saturate_bench.layers import LayerSpec
from saturate_bench.work import BYTES, COMPONENTS, Case

PROTOCOL = 1
DEFAULTS: dict[str, Any] = {
    "protocol": PROTOCOL,
    "framework": None,
    "device": "auto",
    "fp32": "ieee",
    "warmup": 3,
    "iterations": 30,
    "max_seconds": 10.0,
    "flush_bytes": None,
    "cache": ["cold", "warm"],
    "seed": 0,
    "causal": False,
    "ceilings": None,
    "attention": [],
    "components": True,
    "levels": [0, 1, 2, 3],
    "layers": [],
    "loaders": [],
}
MEMORY_SHARE = 0.9  # of the free memory: a prediction may be wrong


class Refused(Exception):
    """The plan cannot be started."""

    def __init__(self, what: str, message: str) -> None:
        super().__init__(message)
        self.what = what


def read_plan(path: str) -> dict[str, Any]:
    """The plan with its defaults; an inconsistent plan is refused."""
    try:
        with contextlib.nullcontext(sys.stdin) if path == "-" else open(path, encoding="utf-8") as file:
            given = json.load(file)
    except (OSError, ValueError) as err:
        raise Refused("plan", f"the plan {path} cannot be read: {err}") from None
    if not isinstance(given, dict):
        raise Refused("plan", f"the plan {path} is not a JSON object")
    unknown = sorted(given.keys() - DEFAULTS.keys())
    if unknown:
        raise Refused("plan", f"the plan has unknown fields: {', '.join(unknown)}")
    plan = DEFAULTS | given
    if plan["protocol"] != PROTOCOL:
        raise Refused("plan", f"the plan uses protocol {plan['protocol']}, this runner {PROTOCOL}")
    if plan["framework"] not in ("torch", "jax"):
        raise Refused("plan", f"unknown framework {plan['framework']!r}; use torch or jax")
    if not isinstance(plan["iterations"], int) or plan["iterations"] < 1:
        raise Refused("plan", f"iterations is {plan['iterations']}: use 6 or more, for an interval")
    if plan["fp32"] not in ("ieee", "tf32"):
        raise Refused("plan", f"fp32 is {plan['fp32']!r}: use ieee or tf32")
    if not set(plan["cache"]) <= {"cold", "warm"} or not plan["cache"]:
        raise Refused("plan", f"cache is {plan['cache']}: use a list of cold, warm or both")
    if not set(plan["levels"]) <= {0, 1, 2, 3}:
        raise Refused("plan", f"levels is {plan['levels']}: use 0 to 3")
    plan["seed"] %= 2**31  # accepted by both frameworks
    plan["attention"] = [made(Case, case, "an attention") for case in plan["attention"]]
    plan["layers"] = [made(LayerSpec, layer, "a layer") for layer in plan["layers"]]
    if plan["loaders"] and plan["framework"] != "torch":
        raise Refused("plan", "only torch has data loaders")
    for loader in plan["loaders"]:
        if not loader.get("source"):
            raise Refused("plan", "a loader of the plan has no source")
        loader.setdefault("workers", [0, 1, 2, 4])
        for name in ("batch", "batches", "repeats"):
            if loader.get(name, 1) < 1:
                raise Refused("plan", f"{name} of a loader is {loader[name]}: use 1 or more")
    if plan["ceilings"] is None:
        plan["ceilings"] = list(dict.fromkeys(case.dtype for case in plan["attention"]))
    for dtype in plan["ceilings"]:
        if dtype not in BYTES:
            raise Refused("plan", f"unknown dtype {dtype!r}; use one of {', '.join(BYTES)}")
    return plan


def made(kind: type, given: dict[str, Any], what: str) -> Any:
    """A case or a layer of the plan."""
    try:
        return kind(**given)
    except TypeError as err:  # a field too many or too few
        raise Refused("plan", f"{what} of the plan is not complete or has an unknown field: {str(err).partition('() ')[2]}") from None
    except ValueError as err:
        raise Refused("plan", str(err)) from None


def in_a_line(err: Exception) -> str:
    """The message of an exception; if torch passes one on from a worker process with its traceback, the last line."""
    text = str(err).strip()
    if "Original Traceback" in text:
        return text.splitlines()[-1].strip()
    return f"{type(err).__name__}: {' '.join(text.split())[:500]}"


def amount(size: float) -> str:
    """Bytes as people write them: 139 GB, 2.2 TB."""
    for prefix in ("", "k", "M", "G", "T"):
        if size < 1000:
            return f"{size:.3g} {prefix}B"
        size /= 1000
    return f"{size:,.0f} PB"


class Runner:
    """Goes through a plan; everything it finds is a line."""

    def __init__(self, plan: dict[str, Any], out: TextIO) -> None:
        self.plan, self.out, self.framework = plan, out, plan["framework"]
        self.problems = self.done = 0
        self.began = time.monotonic()
        self.steps = (
            len(plan["ceilings"])
            + bool(plan["ceilings"])
            + len(plan["attention"]) * (plan["components"] * len(COMPONENTS) + len(plan["levels"]))
            + sum(len(spec.variants()) for spec in plan["layers"])
            + sum(len(loader["workers"]) for loader in plan["loaders"])
        )

    def line(self, kind: str, **told: Any) -> None:
        self.out.write(json.dumps({"kind": kind, **told}, allow_nan=False) + "\n")
        self.out.flush()

    def problem(self, what: str, message: str, about: dict[str, Any], fatal: bool = False, **more: Any) -> None:
        self.problems += 1
        self.line("problem", fatal=fatal, what=what, message=message, about=about, **more)

    def progress(self, what: str) -> None:
        self.line("progress", done=self.done, of=self.steps, what=what)
        self.done += 1

    @contextlib.contextmanager
    def trying(self, about: dict[str, Any]) -> Iterator[None]:
        """A failure inside is reported as a problem; the rest of the plan continues."""
        try:
            yield
        except Exception as err:  # a framework may raise anything
            what = "oom" if self.home.is_out_of_memory(err) else "failed"
            self.problem(what, in_a_line(err), about)

    def run(self) -> None:
        plan, name = self.plan, self.framework
        index = plan["device"].partition(":")[2] or "0"
        gpu = machine.gpu_to_ask(int(index)) if index.isdigit() and plan["device"] not in ("cpu", "mps") else None
        others = machine.processes(gpu)  # before this process uses the GPU itself
        try:
            self.home = importlib.import_module(f"saturate_bench.{name}_device")
            self.lab = importlib.import_module(f"saturate_bench.{name}_attention")
        except (ImportError, OSError) as err:
            message = f"{name} cannot be imported by {sys.executable} ({err}); install it there, or choose another Python or framework"
            raise Refused("framework", message) from None
        try:
            self.device = self.home.choose_device(plan["device"])
        except ValueError as err:
            raise Refused("device", str(err)) from None
        self.facts = self.home.describe(self.device)
        self.options = {k: plan[k] for k in ("warmup", "iterations", "max_seconds")} | {"flush": plan["flush_bytes"]}
        self.watch = machine.Watch(gpu if self.facts["type"] == "cuda" else None)
        gc.freeze()  # garbage is collected before every series; imported objects need not be searched
        try:
            self.device_line("before", self.began, others)
            self.ceilings()
            for case in plan["attention"]:
                self.attention(case)
            for spec in plan["layers"]:
                self.layer(spec)
            for loader in plan["loaders"]:
                self.loader(loader)
            late = [p for p in machine.processes(gpu) if p["pid"] not in {o["pid"] for o in others}] if self.facts["type"] == "cuda" else []
            self.device_line("after", self.began, others + late[1:])  # one of the new ones is this process
        finally:
            gc.unfreeze()
            self.watch.close()
        self.line("end", problems=self.problems, seconds=round(time.monotonic() - self.began, 3))

    def device_line(self, when: str, since: float, others: list[dict[str, Any]]) -> None:
        facts = self.home.describe(self.device)
        shared = bool(others) and self.facts["type"] == "cuda"
        flush = self.plan["flush_bytes"] or facts["flush_bytes"]
        self.line(
            "device",
            protocol=PROTOCOL,
            when=when,
            framework=self.framework,
            python=platform.python_version(),
            **facts | {"flush_bytes": flush, "fp32": self.plan["fp32"]},
            gpu=self.watch.since(since),
            others=others if self.facts["type"] == "cuda" else [],
            shared=shared,
        )

    def ceilings(self) -> None:
        for dtype in self.plan["ceilings"]:
            self.progress(f"largest products of {dtype}")
            self.home.set_precision(self.plan["fp32"], dtype)
            with self.trying({"framework": self.framework, "dtype": dtype}):
                began = time.monotonic()
                for told in self.lab.large_products(dtype, self.device, **self.options):
                    self.ceiling(told, began)
        if self.plan["ceilings"]:
            self.progress("a large copy")
            with self.trying({"framework": self.framework}):
                began = time.monotonic()
                self.ceiling(self.lab.large_copy(self.device, **self.options), began)

    def ceiling(self, told: dict[str, Any], began: float) -> None:
        told["timing"] = told["timing"].as_dict()
        self.line("ceiling", framework=self.framework, **told, gpu=self.watch.since(began))

    def fits(self, what: Any, needed: int, about: dict[str, Any]) -> bool:
        """Whether the memory that a case needs is free; reports a problem if not."""
        free = self.home.describe(self.device)["free_bytes"]
        if free is None or needed <= MEMORY_SHARE * free:
            return True
        message = f"{self.framework} {what} needs about {amount(needed)} of memory, but {amount(free)} is free; choose a smaller --batch or --seq"
        self.problem("memory", message, about, needed_bytes=needed, available_bytes=free)
        return False

    def attention(self, case: Case) -> None:
        plan = self.plan
        about = {"framework": self.framework, **vars(case), "causal": plan["causal"]}
        if not self.fits(case, case.memory_needed(), about):
            return
        self.home.set_precision(plan["fp32"], case.dtype)
        if plan["components"]:
            with self.trying(about):
                for name, fn, args in self.lab.components(case, self.device, plan["seed"]):
                    self.progress(f"{case}: {name}")
                    self.component(about, name, fn, args)
                    del fn, args
        if plan["levels"]:
            with self.trying(about):
                self.levels(about, case)
        self.home.release_memory()

    def component(self, about: dict[str, Any], name: str, fn: Any, args: Any) -> None:
        began = time.monotonic()
        told: dict[str, Any] = {"name": name, "shapes": [list(a.shape) for a in args], "cold": None, "warm": None}
        for state in self.plan["cache"]:
            told[state] = self.lab.benchmark_function(fn, args, cold=state == "cold", **self.options).as_dict()
        told |= self.lab.kernels_of(fn, args)
        self.line("component", **about, **told, gpu=self.watch.since(began))

    def levels(self, about: dict[str, Any], case: Case) -> None:
        plan = self.plan
        qkv = self.lab.random_qkv(case, self.device, plan["seed"])
        want = self.lab.reference(*qkv, causal=plan["causal"])
        for level in plan["levels"]:
            self.progress(f"{case}: level {level}")
            with self.trying(about | {"level": level}):
                began = time.monotonic()
                told = self.lab.measure_level(*qkv, level, want, causal=plan["causal"], cache=plan["cache"], **self.options)
                self.line("level", **about, **told, gpu=self.watch.since(began))

    def layer(self, spec: LayerSpec) -> None:
        module = importlib.import_module(f"saturate_bench.{self.framework}_layers")
        about = {"framework": self.framework, **spec.sizes()}
        if not self.fits(spec, spec.memory_needed(stores_scores=self.framework == "jax"), about):
            return
        for way in spec.variants():
            direction = "forward_backward" if way.backward else "forward"
            told = {"precision": way.precision, "checkpoint": way.checkpoint, "pass": direction}
            self.progress(f"{spec}: {direction} {way.precision}{', checkpointed' if way.checkpoint else ''}")
            self.home.set_precision(self.plan["fp32"], way.precision)
            with self.trying(about | told):
                began = time.monotonic()
                measured = module.measure_layer(spec, way, self.device, self.plan["seed"], **self.options)
                self.line("layer", **about, **told, skipped=None, **measured, gpu=self.watch.since(began))
            self.home.release_memory()

    def loader(self, loader: dict[str, Any]) -> None:
        from saturate_bench.torch_loader import measure_loader

        about = {"framework": self.framework, "source": loader.get("source")}
        with self.trying(about):
            for told in measure_loader(**loader, seed=self.plan["seed"]):
                self.progress(f"{told['source']}: {told['workers']} workers measured")
                self.line("loader", framework=self.framework, **told)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plan", required=True, help="a JSON file, or - for stdin")
    arguments = parser.parse_args()
    # Standard output is for the protocol alone; what libraries print goes to standard error.
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # or JAX takes 75% of the GPU, used or not
    try:
        plan = read_plan(arguments.plan)
        if plan["device"] == "cpu":
            os.environ.setdefault("JAX_PLATFORMS", "cpu")  # or JAX takes the GPU all the same
        Runner(plan, out).run()
    except Exception as err:
        what = err.what if isinstance(err, Refused) else "failed"
        message = str(err) if isinstance(err, Refused) else f"{type(err).__name__}: {err}"
        out.write(json.dumps({"kind": "problem", "fatal": True, "what": what, "message": message, "about": {}}) + "\n")
        out.flush()
        if not isinstance(err, Refused):
            traceback.print_exc()
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
