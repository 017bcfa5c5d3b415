"""Prints, as JSON, what scipy and numpy say about samples that package stat is tested with.

    python scipy_table.py > scipy_table.json

What scipy lacks is computed here from its definition by brute force, never the way
package stat does it: intervals by inverting scipy's test at every candidate,
Holm as a closed test over all subsets, MSER as a double loop.
"""

import itertools
import json
import math

import numpy as np
import scipy
from scipy import stats

rng = np.random.default_rng(20240601)


def rounded(size, digits=6, **how):
    return np.round(rng.lognormal(size=size, **how), digits).tolist()


def summary(x):
    q1, q3 = np.percentile(x, [25, 75])
    iqr = q3 - q1
    ci = stats.quantile_test(x, p=0.5).confidence_interval(0.95)
    v = np.asarray(x)
    n = len(x)
    return {
        "values": x,
        "median": np.median(x),
        "mean": np.mean(x),
        "sd": np.std(x, ddof=1),
        "p5": np.percentile(x, 5),
        "p95": np.percentile(x, 95),
        "interval": [ci.low, ci.high],
        "binomial_cdf": stats.binom.cdf(np.arange(n + 1), n, 0.5).tolist(),
        "low_severe": int(np.sum(v < q1 - 3 * iqr)),
        "low_mild": int(np.sum((v < q1 - 1.5 * iqr) & (v >= q1 - 3 * iqr))),
        "high_mild": int(np.sum((v > q3 + 1.5 * iqr) & (v <= q3 + 3 * iqr))),
        "high_severe": int(np.sum(v > q3 + 3 * iqr)),
    }


def unpaired(x, y, level=0.95):
    method = "exact" if max(len(x), len(y)) <= 50 and len(set(x + y)) == len(x + y) else "asymptotic"
    out = {
        "before": x,
        "after": y,
        "p": stats.mannwhitneyu(x, y, method=method).pvalue,
        "method": method,
        "ratio": np.median(y) / np.median(x),
        "shift": np.median(np.subtract.outer(y, x)),
    }
    if method == "exact":
        # Between two neighbouring differences the test's P value is constant, so the middles tell it without ties.
        d = np.unique(np.subtract.outer(y, x))
        middles = (d[:-1] + d[1:]) / 2
        p = lambda c: stats.mannwhitneyu(np.asarray(x) + c, y, method="exact").pvalue
        kept = [i for i, c in enumerate(middles) if p(c) > 1 - level]
        out["shift_interval"] = [d[kept[0]], d[kept[-1] + 1]]
    return out


def sign_flip(d):
    d = np.asarray(d)
    both = lambda side: stats.permutation_test(
        (d,), np.sum, permutation_type="samples", n_resamples=np.inf, alternative=side).pvalue
    return {"differences": d.tolist(), "p": both("two-sided"), "p_less": both("less"), "p_greater": both("greater")}


def hodges_lehmann(d, level):
    d = np.asarray(d)
    walsh = np.sort([(a + b) / 2 for a, b in itertools.combinations_with_replacement(d, 2)])
    middles = (walsh[:-1] + walsh[1:]) / 2
    p = lambda c: stats.wilcoxon(d - c, method="exact").pvalue
    kept = [i for i, c in enumerate(middles) if p(c) > 1 - level]
    return {
        "differences": d.tolist(),
        "confidence": level,
        "value": np.median(walsh),
        "interval": [walsh[kept[0]], walsh[kept[-1] + 1]],
    }


def equivalence(d, margin):
    d = np.asarray(d)
    lower = stats.wilcoxon(d + margin, alternative="greater", method="exact").pvalue
    upper = stats.wilcoxon(d - margin, alternative="less", method="exact").pvalue
    return {"differences": d.tolist(), "margin": margin, "p_lower": lower, "p_upper": upper}


def holm(p):
    """The closed testing procedure with Bonferroni tests of all intersections, which Holm is a short cut for."""
    adjusted = []
    for i in range(len(p)):
        others = [j for j in range(len(p)) if j != i]
        worst = 0.0
        for size in range(len(p)):
            for subset in itertools.combinations(others, size):
                family = [p[i], *(p[j] for j in subset)]
                worst = max(worst, min(1.0, len(family) * min(family)))
        adjusted.append(worst)
    return {"p": p, "adjusted": adjusted}


def detectable(d, pairs):
    sd = np.std(d, ddof=1)
    t = stats.t(pairs - 1)
    effect = (t.ppf(0.975) + t.ppf(0.8)) * sd / math.sqrt(pairs)
    shifted = stats.nct(pairs - 1, effect * math.sqrt(pairs) / sd)
    power = shifted.sf(t.ppf(0.975)) + shifted.cdf(t.ppf(0.025))
    return {"differences": d, "pairs": pairs, "noise": sd, "effect": effect, "power": power}


def warm_up(x):
    n = len(x)
    q1, median, q3 = np.percentile(x[n // 2:], [25, 50, 75])
    jitter = 0.005 * abs(median)
    margin = 1.5 * max(q3 - q1, 1.349 * jitter)
    v = list(x)
    for i in range(1, n):
        reach = min(2, i, n - 1 - i)
        if q1 - margin <= np.median(x[i - reach:i + reach + 1]) <= q3 + margin:
            v[i] = np.clip(x[i], q1 - margin, q3 + margin)
    scores = [(np.sum((v[d:] - np.mean(v[d:])) ** 2) + (n - d) * jitter**2) / (n - d) ** 2 for d in range(n // 2 + 1)]
    return {"values": x, "d": int(np.argmin(scores))}


spiky = rounded(40, mean=-2, sigma=0.05)
spiky[7] *= 3
spiky[22] *= 1.3
slow_start = rounded(60, mean=-2, sigma=0.03)
slow_start[:6] = [2.5, 0.9, 0.4, 0.25, 0.2, 0.18]
lone_spike = rounded(50, mean=-2, sigma=0.03)
lone_spike[20] *= 8

cases = {
    "summary": [summary(x) for x in (
        rounded(6, mean=-1, sigma=0.2), rounded(7, mean=-1, sigma=0.2), rounded(25, mean=-1, sigma=0.4), spiky, rounded(200, mean=0, sigma=0.6))],
    "unpaired": [unpaired(x, y) for x, y in (
        (rounded(4, sigma=0.1), rounded(4, mean=0.5, sigma=0.1)),
        (rounded(5, sigma=0.1), rounded(8, mean=0.05, sigma=0.1)),
        (rounded(12, sigma=0.2), rounded(9, sigma=0.2)),
        (rounded(25, sigma=0.2), rounded(25, mean=-0.1, sigma=0.2)),
        (rounded(60, digits=2, sigma=0.2), rounded(70, digits=2, mean=-0.05, sigma=0.2)))],
    "sign_flip": [sign_flip(d) for d in (
        [0.3, 0.2], [0.1, 0.1, -0.1], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6],
        np.round(rng.normal(0.1, 0.2, 9), 3), np.round(rng.normal(-0.05, 0.1, 14), 6), [0.0, 0.0, 0.2, -0.1, 0.3])],
    "hodges_lehmann": [hodges_lehmann(np.round(rng.normal(m, 0.1, n), 6), level) for m, n, level in (
        (0.1, 6, 0.95), (-0.3, 8, 0.9), (0, 11, 0.95), (0.05, 20, 0.99))],
    "equivalence": [equivalence(np.round(rng.normal(m, 0.01, n), 6), margin) for m, n, margin in (
        (0, 6, 0.02), (0.005, 10, 0.02), (0.03, 12, 0.02), (0, 5, 0.05))],
    "holm": [holm(p) for p in (
        [0.01, 0.04, 0.03, 0.005], [0.2], [0.5, 0.5, 0.9], np.round(rng.uniform(0, 0.2, 8), 4).tolist())],
    "detectable": [detectable(np.round(rng.normal(0, s, n), 6).tolist(), pairs) for s, n, pairs in (
        (0.01, 6, 6), (0.02, 8, 12), (0.005, 20, 40))],
    "warm_up": [warm_up(x) for x in (
        slow_start, lone_spike, rounded(40, mean=-2, sigma=0.05), [0.1] * 30, [2.0] + [0.1] * 30, np.linspace(2, 1, 40).tolist())],
}
lines = [f'"{name}": [\n' + ",\n".join(map(json.dumps, of)) + "]" for name, of in cases.items()]
print("{" + ",\n".join([f'"scipy": "{scipy.__version__}"', *lines]) + "}")
