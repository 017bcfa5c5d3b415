"""The work of attention: operations, bytes and memory, computed from its sizes."""

from __future__ import annotations

from dataclasses import dataclass

BYTES = {"fp32": 4, "fp16": 2, "bf16": 2}
COMPONENTS = ("qkv_projection", "scores", "softmax", "weighted_sum", "output_projection")
TITLES = {
    "qkv_projection": "QKV projection",
    "scores": "Score computation",
    "softmax": "Softmax",
    "weighted_sum": "Weighted sum",
    "output_projection": "Output projection",
}
LARGE = {True: (1024, 2048), False: (4096, 8192)}  # matrix sizes that show the best rate of a CPU (True) or a GPU
SOFTMAX_FLOPS = 5  # for each score: scale, compare, subtract, exponential, divide


@dataclass(frozen=True)
class Case:
    """One attention: its sizes and the type of its numbers."""

    batch: int
    seq: int
    d_model: int
    heads: int
    dtype: str

    def __post_init__(self) -> None:
        if self.dtype not in BYTES:
            raise ValueError(f"unknown dtype {self.dtype!r}; use one of {', '.join(BYTES)}")
        for name in ("batch", "seq", "d_model", "heads"):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise ValueError(f"{name} is {value!r}: use a whole number, 1 or more")
        if self.d_model % self.heads:
            raise ValueError(f"{self.heads} heads do not divide a width of {self.d_model}")

    @property
    def head_dim(self) -> int:
        return self.d_model // self.heads

    def memory_needed(self) -> int:
        """Peak bytes: two matrices of scores, everything else once, one head in float64 for the reference."""
        b, s, d, h, e = self.batch, self.seq, self.d_model, self.heads, BYTES[self.dtype]
        return e * (2 * b * h * s * s + 8 * b * s * d + 4 * d * d) + 8 * (2 * s * s + b * s * d)

    def __str__(self) -> str:
        return f"{self.dtype} batch {self.batch}, seq {self.seq}, d_model {self.d_model}, heads {self.heads}"


@dataclass(frozen=True)
class Work:
    """Multiplications and additions count separately; every operand is read or written once, as with perfect caches."""

    flops: float
    bytes: float

    @property
    def intensity(self) -> float:
        return self.flops / self.bytes


def work(case: Case) -> dict[str, Work]:
    """The work of each component."""
    b, s, d, h, k, e = case.batch, case.seq, case.d_model, case.heads, case.head_dim, BYTES[case.dtype]
    product = Work(2 * b * h * s * s * k, e * b * h * (2 * s * k + s * s))
    return {
        "qkv_projection": Work(6 * b * s * d * d, e * (4 * b * s * d + 3 * d * d)),
        "scores": product,
        "softmax": Work(SOFTMAX_FLOPS * b * h * s * s, 2 * e * b * h * s * s),
        "weighted_sum": product,
        "output_projection": Work(2 * b * s * d * d, e * (2 * b * s * d + d * d)),
    }


def copy_bytes(cache: int | None) -> int:
    """The size of a copy that shows the memory bandwidth: source and target together four times the last-level cache."""
    return min(max(2 * (cache or 0), 256 << 20), 2 << 30)
