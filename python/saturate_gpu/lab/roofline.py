"""Each part of attention compared with the machine's best: what bounds it, which is the bottleneck, what helps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .timing import Seconds, Timing
from .work import TITLES, Case, Work, work


def bound_of(done: Work, ceilings: Mapping[str, float]) -> tuple[float, str]:
    """The least time in milliseconds, and which roof sets it: moving the bytes ("memory") or the arithmetic ("compute")."""
    memory, compute = 1000 * done.bytes / ceilings["bytes_per_s"], 1000 * done.flops / ceilings["flops_per_s"]
    return (memory, "memory") if memory > compute else (compute, "compute")


def profile_results(framework: str, device: str, case: Case, roofs: list[dict[str, Any]], measured: Mapping[str, Timing | Seconds]) -> dict[str, Any]:
    """What profile_attention_components returns.

    case: the sizes. ceilings: what a large matrix product and a copy reached. components: for each its median
    time_ms, its 95% interval_ms, its share of the total, FLOPs and least bytes, what bounds it ("memory" or "compute"),
    and roof_ratio, the least time that the ceilings allow divided by the time it took: 1 is as fast as this machine can.
    """
    ceilings = {
        "flops_per_s": max(2000 * r["m"] * r["n"] * r["k"] / r["timing"].median_ms for r in roofs if r["what"] == "gemm"),
        "bytes_per_s": max(1000 * r["bytes"] / r["timing"].median_ms for r in roofs if r["what"] == "copy"),
    }
    total = sum(t.median_ms for t in measured.values())
    components = {}
    for name, timing in measured.items():
        done = work(case)[name]
        least, bound = bound_of(done, ceilings)
        components[name] = {
            "time_ms": timing.median_ms,
            "interval_ms": timing.interval_ms,
            "share": timing.median_ms / total,
            "flops": done.flops,
            "bytes": done.bytes,
            "intensity": done.intensity,
            "bound": bound,
            "roof_ratio": least / timing.median_ms,
            "timing": timing.as_dict(),
        }
    return {"framework": framework, "device": device, "case": vars(case), "ceilings": ceilings, "total_ms": total, "components": components}


def identify_bottleneck(profile_results: Mapping[str, Any]) -> dict[str, Any]:
    """The component that takes most of the time, what bounds it, and what to do about it.

    profile_results is the result of profile_attention_components, or plain times by component, {"softmax": 1.2, …}. Plain
    times do not say what bounds a component: bound is then None.
    """
    if "components" not in profile_results:
        return slowest(profile_results)
    components = profile_results["components"]
    if not components:
        raise ValueError("the profile has no components")
    name = max(components, key=lambda n: components[n]["time_ms"])
    found = {key: components[name][key] for key in ("time_ms", "share", "bound", "intensity", "roof_ratio")}
    advice = recommend(name, found["bound"], found["roof_ratio"], profile_results["case"]["dtype"])
    return {"component": name, "title": TITLES[name], **found, "recommendation": advice}


def slowest(times: Mapping[str, Any]) -> dict[str, Any]:
    """The slowest component, if only times are known."""
    if not times:
        raise ValueError("the profile has no components")
    plain = {name: float(t["time_ms"] if isinstance(t, Mapping) else t) for name, t in times.items()}
    name = max(plain, key=plain.__getitem__)
    total = sum(plain.values())
    return {
        "component": name,
        "title": TITLES.get(name, name),
        "time": plain[name],
        "share": plain[name] / total if total else 0.0,
        "bound": None,
        "recommendation": recommend(name, None, 1.0, ""),
    }


def recommend(name: str, bound: str | None, roof_ratio: float, dtype: str) -> str:
    """What usually helps. Measure it: optimize_attention has the levels."""
    if name in ("scores", "softmax", "weighted_sum"):
        return "Use fused attention (level 2 or 3): it does not write the score matrix to memory."
    if bound == "memory":
        return "Use a larger batch or sequence: the weights are read from memory for few rows."
    if roof_ratio < 0.5:
        return "It is far from its roof: use a larger batch, or compile to save launches."
    if bound is None:
        return "Profile it with profile_attention_components: its sizes show whether memory or arithmetic limits it."
    if dtype == "fp32":
        return "Use bf16, or TF32 for float32 products: the projections are compute-bound."
    return "The projections are near the hardware's limit: only a smaller model or lower precision is faster."


def format_profile(profile_results: Mapping[str, Any]) -> str:
    """The profile as a table, with the bottleneck and what to do about it."""
    lines = [f"{'Component':<20}{'Time (ms)':>10}{'% Total':>10}  {'Bound':<8}{'% of roof':>10}"]
    for name, c in profile_results["components"].items():
        lines.append(f"{TITLES[name]:<20}{c['time_ms']:>10.4g}{c['share']:>10.1%}  {c['bound']:<8}{c['roof_ratio']:>10.1%}")
    lines.append(f"{'Total':<20}{profile_results['total_ms']:>10.4g}{1:>10.1%}")
    found = identify_bottleneck(profile_results)
    lines += ["", f"Bottleneck: {found['title']} ({found['share']:.1%}), {found['bound']}-bound", f"Recommendation: {found['recommendation']}"]
    return "\n".join(lines)
