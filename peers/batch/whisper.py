"""Whisper of 72.6 M parameters with random weights, 30 s clips."""

import torch
from transformers import WhisperConfig, WhisperForConditionalGeneration

import common

o = common.options(8)
size = 64 if o.tiny else 512
frames = 200 if o.tiny else 3000
config = WhisperConfig(d_model=size, encoder_layers=6 if not o.tiny else 1, decoder_layers=6 if not o.tiny else 1, encoder_attention_heads=8,
                       decoder_attention_heads=8, encoder_ffn_dim=4 * size, decoder_ffn_dim=4 * size, vocab_size=51865 if not o.tiny else 500,
                       max_source_positions=frames // 2, pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=1,
                       suppress_tokens=None, begin_suppress_tokens=None)
model = WhisperForConditionalGeneration(config).to(common.device)
pool = torch.randn(16, 80, frames, device=common.device)
labels = torch.randint(3, config.vocab_size, (16, 64), device=common.device)


def loss(batch):
    at = batch.to(common.device) % 16
    return model(input_features=pool[at], labels=labels[at]).loss


common.train(o, model, loss, common.Seeds(o.samples))
