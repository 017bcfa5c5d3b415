"""A transformer layer and Whisper's layers in PyTorch: what forward and backward, checkpointing and mixed precision cost."""

from __future__ import annotations

import contextlib
import time
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint

from .layers import LayerSpec, Variant
from .torch_attention import benchmark_function, measure_memory_usage
from .torch_device import synchronize
from .torch_trace import allocated, trace

AUTOCAST = {"bf16": torch.bfloat16, "fp16": torch.float16}


class Attention(nn.Module):
    def __init__(self, d_model: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query, self.value, self.out = (nn.Linear(d_model, d_model) for _ in range(3))
        self.key = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: torch.Tensor, source: torch.Tensor, causal: bool) -> torch.Tensor:
        q, k, v = (p(t).unflatten(-1, (self.heads, -1)).transpose(1, 2) for p, t in ((self.query, x), (self.key, source), (self.value, source)))
        return self.out(F.scaled_dot_product_attention(q, k, v, is_causal=causal).transpose(1, 2).flatten(-2))


class Layer(nn.Module):
    """Attention, in a decoder also attention to the encoder, and an MLP, each after a normalization and with a residual."""

    def __init__(self, spec: LayerSpec) -> None:
        super().__init__()
        d = spec.d_model
        self.causal = spec.causal
        self.norm, self.attention = nn.LayerNorm(d), Attention(d, spec.heads)
        if spec.cross:
            self.cross_norm, self.cross_attention = nn.LayerNorm(d), Attention(d, spec.heads)
        self.mlp = nn.Sequential(nn.LayerNorm(d), nn.Linear(d, spec.ffn), nn.GELU(), nn.Linear(spec.ffn, d))

    def forward(self, x: torch.Tensor, memory: torch.Tensor | None) -> torch.Tensor:
        normal = self.norm(x)
        x = x + self.attention(normal, normal, self.causal)
        if memory is not None:
            x = x + self.cross_attention(self.cross_norm(x), memory, False)
        return x + self.mlp(x)


def measure_layer(spec: LayerSpec, variant: Variant, device: torch.device, seed: int = 0, **options: Any) -> dict[str, Any]:
    """Time and memory of one way to run a stack of layers; options go to benchmark_function."""
    torch.manual_seed(seed)
    with torch.device(device):
        stack = nn.ModuleList(Layer(spec) for _ in range(spec.depth))
        # Inside a model, inputs come from another layer, which needs their gradient.
        x = torch.randn(spec.batch, spec.seq, spec.d_model, requires_grad=True)
        memory = torch.randn(spec.batch, spec.memory_seq, spec.d_model, requires_grad=True) if spec.cross else None
    weights = list(stack.parameters())
    inputs = [t for t in (x, memory) if t is not None]
    gradient = torch.randn_like(x)

    def forward() -> torch.Tensor:
        lower = torch.autocast(device.type, AUTOCAST[variant.precision]) if variant.precision in AUTOCAST else contextlib.nullcontext()
        y = x
        with lower:
            for layer in stack:
                y = checkpoint(layer, y, memory, use_reentrant=False) if variant.checkpoint else layer(y, memory)
        return y

    def step(*_: torch.Tensor) -> torch.Tensor | None:
        if not variant.backward:
            with torch.no_grad():
                return forward()
        forward().backward(gradient)
        for tensor in weights + inputs:
            tensor.grad = None
        return None

    operands = (*inputs, *weights)
    began = time.perf_counter()
    step()
    synchronize(device)
    first = 1000 * (time.perf_counter() - began)
    told = measure_memory_usage(step, operands)
    told["held_bytes"] = held(forward, x.nbytes, device) if variant.backward else None
    return {
        "parameters": sum(w.numel() for w in weights),
        "first_ms": first,
        "memory": told,
        "warm": benchmark_function(step, operands, device=device, **options).as_dict(),
    }


def held(forward: Any, result_bytes: int, device: torch.device) -> int | None:
    """Bytes that a forward pass keeps for the backward pass, without its result."""
    if device.type == "cpu":
        return allocated(trace(forward, device, memory=True))[1] - result_bytes
    if device.type != "cuda":
        return None
    synchronize(device)
    before = torch.cuda.memory_allocated(device)
    result = forward()
    kept = torch.cuda.memory_allocated(device) - before - result_bytes
    del result
    return kept
