"""A small inference loop: a speech encoder in float32, called again and again as a transcription server would.

    infer.py [--calls 60] [--batch 8] [--width 512] [--layers 6]
"""

import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--calls", type=int, default=60)
parser.add_argument("--batch", type=int, default=8)
parser.add_argument("--width", type=int, default=512)
parser.add_argument("--layers", type=int, default=6)
options = parser.parse_args()

device = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)


class Encoder(torch.nn.Module):
    def __init__(self, width, layers):
        super().__init__()
        self.stem = torch.nn.Sequential(
            torch.nn.Conv1d(80, width, 3, padding=1), torch.nn.GELU(), torch.nn.Conv1d(width, width, 3, stride=2, padding=1), torch.nn.GELU()
        )
        layer = torch.nn.TransformerEncoderLayer(width, width // 64, 4 * width, dropout=0.0, batch_first=True, norm_first=True)
        self.layers = torch.nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)

    def forward(self, mel):
        return self.layers(self.stem(mel).transpose(1, 2))


model = Encoder(options.width, options.layers).to(device).eval()
mel = torch.randn(options.batch, 80, 3000 if device == "cuda" else 200)
with torch.inference_mode():
    for call in range(options.calls):
        out = model(mel.to(device, non_blocking=True))
        last = out.abs().mean().item()
print("%d calls on %s, %.6f" % (options.calls, device, last))
