import os

import torch
from diffusers import UNet2DConditionModel
from diffusers.models.attention_processor import AttnProcessor, AttnProcessor2_0
from timm.layers import set_fused_attn
from torch.nn.attention import SDPBackend, sdpa_kernel
from transformers import AutoModel

os.environ.setdefault("TIMM_FUSED_ATTN", "0")  # want SAT410 "without a fused kernel"
set_fused_attn(False)  # want SAT410 "without a fused kernel"
torch.backends.cuda.enable_flash_sdp(False)  # want SAT410 "without a fused kernel"
torch.backends.cuda.enable_mem_efficient_sdp(False)
torch.backends.cuda.enable_math_sdp(True)


def build(name):
    plain, fused = UNet2DConditionModel(), UNet2DConditionModel()
    plain.set_attn_processor(AttnProcessor())  # want SAT410 "without a fused kernel"
    fused.set_attn_processor(AttnProcessor2_0())
    plain.enable_attention_slicing()  # want SAT410 "without a fused kernel"
    text = AutoModel.from_pretrained(name)
    text.config._attn_implementation = "eager"  # want SAT410 "without a fused kernel"
    other = AutoModel.from_pretrained(name)
    other.set_attn_implementation("sdpa")
    return plain, fused, text, other


def train(loader, name):
    plain, fused, text, other = (m.cuda() for m in build(name))
    optimizer = torch.optim.AdamW([*plain.parameters(), *fused.parameters()], fused=True)
    for x in loader:
        x = x.cuda()
        with sdpa_kernel([SDPBackend.MATH]):  # want SAT410 "without a fused kernel"
            loss = plain(x).sample.mean()
        with sdpa_kernel([SDPBackend.FLASH_ATTENTION, SDPBackend.MATH]):
            loss = loss + fused(x).sample.mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
