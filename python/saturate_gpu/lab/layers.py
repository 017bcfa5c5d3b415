"""Which layers are measured, and in which ways: the part that torch and JAX share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

# Name of a layer: is its attention causal, does it attend to an encoder, its usual length and its encoder's.
KINDS = {
    "transformer": (True, False, 1024, None),
    "whisper-encoder": (False, False, 1500, None),
    "whisper-decoder": (True, True, 448, 1500),
}
PRECISIONS = ("fp32", "bf16", "fp16")
PASSES = ("forward", "forward_backward")


@dataclass(frozen=True)
class Variant:
    """One way to run a layer: without gradients, or with those of weights and inputs."""

    precision: str
    checkpoint: bool
    backward: bool


@dataclass
class LayerSpec:
    """A stack of equal layers: attention and an MLP, each with a normalization before it, as in Whisper and most later transformers."""

    layer: str
    batch: int = 8
    seq: int = 0
    memory_seq: int | None = None
    d_model: int = 512
    heads: int = 8
    ffn: int = 0
    depth: int = 1
    precision: list[str] = field(default_factory=lambda: ["fp32", "bf16"])
    checkpoint: list[bool] = field(default_factory=lambda: [False, True])
    passes: list[str] = field(default_factory=lambda: list(PASSES))

    def __post_init__(self) -> None:
        if self.layer not in KINDS:
            raise ValueError(f"unknown layer {self.layer!r}; use one of {', '.join(KINDS)}")
        self.causal, self.cross, seq, memory_seq = KINDS[self.layer]
        self.seq, self.ffn = self.seq or seq, self.ffn or 4 * self.d_model
        self.memory_seq = (self.memory_seq or memory_seq) if self.cross else None
        for name in ("batch", "seq", "d_model", "heads", "ffn", "depth"):
            if not isinstance(getattr(self, name), int) or getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)!r}: use a whole number, 1 or more")
        if self.d_model % self.heads:
            raise ValueError(f"{self.heads} heads do not divide a width of {self.d_model}")
        for name, known in (("precision", PRECISIONS), ("passes", PASSES)):
            for value in getattr(self, name):
                if value not in known:
                    raise ValueError(f"unknown {name} {value!r} of a layer; use {' or '.join(known)}")

    def variants(self) -> list[Variant]:
        """All ways asked for, each once: without gradients there is nothing to checkpoint."""
        ways = ((p, c, way == "forward_backward") for p in self.precision for c in self.checkpoint for way in self.passes)
        return list(dict.fromkeys(Variant(p, c and backward, backward) for p, c, backward in ways))

    def sizes(self) -> dict[str, Any]:
        return {n: getattr(self, n) for n in ("layer", "batch", "seq", "memory_seq", "d_model", "heads", "ffn", "depth")}

    def parameters(self) -> int:
        """Weights and biases; the keys of attention have no bias, as in Whisper."""
        d, attentions = self.d_model, 2 if self.cross else 1
        return self.depth * (attentions * (4 * d * d + 3 * d) + 2 * d * self.ffn + self.ffn + d + (attentions + 1) * 2 * d)

    def memory_needed(self, stores_scores: bool) -> int:
        """Peak bytes, roughly: weights, gradients, what a backward pass keeps, and scores if they are stored."""
        rows, keys = self.batch * self.seq, self.memory_seq or 0
        kept = self.depth * rows * (14 * self.d_model + 2 * self.ffn) + self.batch * keys * 4 * self.d_model
        scores = 3 * self.batch * self.heads * self.seq * max(self.seq, keys) if stores_scores else 0
        return 4 * (2 * self.parameters() + kept + scores)

    def __str__(self) -> str:
        return f"{self.layer} batch {self.batch}, seq {self.seq}, d_model {self.d_model}, heads {self.heads}"
