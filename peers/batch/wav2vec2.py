"""A small wav2vec2 with CTC over clips of 1 to 12 seconds."""

import random

import torch
from transformers import Wav2Vec2Config, Wav2Vec2ForCTC

import common

o = common.options(4)
config = Wav2Vec2Config(hidden_size=256, num_hidden_layers=4 if not o.tiny else 1, num_attention_heads=4, intermediate_size=1024, vocab_size=32,
                        conv_dim=(256,) * 7 if not o.tiny else (16,) * 7, num_conv_pos_embeddings=64, num_conv_pos_embedding_groups=8,
                        ctc_zero_infinity=True, apply_spec_augment=False, layerdrop=0.0)
model = Wav2Vec2ForCTC(config).to(common.device)


class Clips(torch.utils.data.Dataset):
    def __init__(self, samples):
        draw = random.Random(5)
        seconds = 1.5 if o.tiny else 12
        self.lengths = [int(16000 * min(seconds, max(1, draw.lognormvariate(1.6, 0.5)))) for _ in range(samples)]
        self.noise = torch.randn(int(16000 * seconds) + 1)

    def __len__(self):
        return len(self.lengths)

    def __getitem__(self, index):
        return self.noise[: self.lengths[index]], torch.randint(1, 32, (12,))


def collate(items):
    waves = torch.nn.utils.rnn.pad_sequence([wave for wave, _ in items], batch_first=True)
    return waves, torch.stack([labels for _, labels in items])


def loss(batch):
    waves, labels = batch
    return model(waves.to(common.device), labels=labels.to(common.device)).loss


common.train(o, model, loss, Clips(o.samples), collate)
