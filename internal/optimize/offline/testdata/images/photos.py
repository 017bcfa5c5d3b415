import numpy as np
from pathlib import Path
from PIL import Image
for i in range(12):
    p = Path("photos") / "ab"[i % 2]
    p.mkdir(parents=True, exist_ok=True)
    Image.fromarray(np.random.default_rng(i).integers(0, 256, (90 + i, 120, 3), dtype=np.uint8)).save(p / f"{i}.jpg")
