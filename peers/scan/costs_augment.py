"""What random changes of an image cost a worker: CPU time for each sample, on one core.

    python3 peers/scan/costs_augment.py [--rounds 7] [--json FILE]

Needs torch, torchvision, pillow, opencv-python-headless, albumentations, scikit-image and scipy. Images are photos in look: smooth
shapes with noise, 500 × 375 as JPEG before they are decoded and cropped to 224 pixels. A figure is CPU time in milliseconds for one
call, so that other programs on the machine matter little: the median over the rounds, and the least and most of them.
"""

import argparse
import io
import json
import platform
import statistics
import time

import albumentations
import cv2
import numpy as np
import PIL
import scipy
import scipy.ndimage
import skimage
import skimage.color
import skimage.filters
import skimage.transform
import torch
import torchvision
from PIL import Image, ImageFilter
from torchvision import transforms as T
from torchvision.transforms import functional as F


def photo(width, height):
    rng = np.random.default_rng(0)
    low = rng.integers(0, 256, (height // 25, width // 25, 3), dtype=np.uint8)
    smooth = np.asarray(Image.fromarray(low).resize((width, height), Image.BICUBIC)).astype(np.int16)
    return Image.fromarray((smooth + rng.normal(0, 8, smooth.shape)).clip(0, 255).astype(np.uint8))


def jobs():
    large = photo(500, 375)
    jpeg = io.BytesIO()
    large.save(jpeg, "JPEG", quality=92)
    data = jpeg.getvalue()
    png = io.BytesIO()
    photo(2048, 1024).save(png, "PNG")
    film = png.getvalue()
    small = large.resize((224, 224), Image.BILINEAR)
    tiny = large.resize((32, 32), Image.BILINEAR)
    array = np.asarray(small)
    floats = array.astype(np.float32) / 255
    tensor = F.to_tensor(small)
    two_views = T.Compose([
        T.RandomResizedCrop(224, scale=(0.2, 1.0)), T.RandomApply([T.ColorJitter(0.4, 0.4, 0.4, 0.1)], p=0.8), T.RandomGrayscale(p=0.2),
        T.RandomApply([T.Lambda(lambda x: x.filter(ImageFilter.GaussianBlur(1.0)))], p=0.5), T.RandomHorizontalFlip(),
        T.ToTensor(), T.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]),
    ])
    usual = T.Compose([T.RandomResizedCrop(224), T.RandomHorizontalFlip(), T.ToTensor(), T.Normalize([0.5] * 3, [0.5] * 3)])

    yield "decode a JPEG of 500 × 375", lambda: Image.open(io.BytesIO(data)).convert("RGB")
    yield "decode a PNG of 2048 × 1024", lambda: Image.open(io.BytesIO(film)).convert("RGB")
    yield "crop, flip, ToTensor, Normalize", lambda: usual(large)
    yield "two views of contrastive training", lambda: (two_views(large), two_views(large))
    for where, image in ("PIL", small), ("tensor", tensor), ("PIL, 32 pixels", tiny), ("PIL, 500 × 375", large):
        for name, change in {
            "ColorJitter without hue": T.ColorJitter(0.4, 0.4, 0.4),
            "ColorJitter with hue": T.ColorJitter(0.4, 0.4, 0.4, 0.1),
            "GaussianBlur(23)": T.GaussianBlur(23, (0.1, 2.0)),
            "GaussianBlur(3)": T.GaussianBlur(3, (0.1, 2.0)),
            "RandomRotation": T.RandomRotation(30),
            "RandomAffine": T.RandomAffine(30, (0.1, 0.1), (0.9, 1.1)),
            "RandomPerspective": T.RandomPerspective(p=1.0),
            "ElasticTransform": T.ElasticTransform(),
            "RandAugment": T.RandAugment(),
            "AutoAugment": T.AutoAugment(),
            "TrivialAugmentWide": T.TrivialAugmentWide(),
            "AugMix": T.AugMix(),
            "RandomHorizontalFlip": T.RandomHorizontalFlip(1.0),
            "RandomGrayscale": T.RandomGrayscale(1.0),
        }.items():
            if name in ("RandAugment", "AutoAugment", "TrivialAugmentWide", "AugMix") and where == "tensor":
                continue
            yield f"torchvision {name}, {where}", lambda change=change, image=image: change(image)
    yield "PIL GaussianBlur(1)", lambda: small.filter(ImageFilter.GaussianBlur(1.0))
    yield "PIL GaussianBlur(2)", lambda: small.filter(ImageFilter.GaussianBlur(2.0))
    yield "PIL rotate, bilinear", lambda: small.rotate(17, Image.BILINEAR)
    yield "ToTensor, ToPILImage", lambda: F.to_pil_image(F.to_tensor(small))
    yield "ToTensor, ToPILImage, 1000 × 1000", lambda image=photo(1000, 1000): F.to_pil_image(F.to_tensor(image))
    yield "skimage rgb2lab", lambda: skimage.color.rgb2lab(array)
    yield "skimage rgb2hsv and back", lambda: skimage.color.hsv2rgb(skimage.color.rgb2hsv(array))
    yield "skimage rotate", lambda: skimage.transform.rotate(array, 17)
    yield "skimage resize", lambda: skimage.transform.resize(array, (256, 256))
    yield "skimage gaussian", lambda: skimage.filters.gaussian(array, 1.0, channel_axis=-1)
    yield "skimage pyramid_gaussian, 3 levels", lambda: list(skimage.transform.pyramid_gaussian(floats, 2, channel_axis=-1))
    yield "scipy rotate, cubic", lambda: scipy.ndimage.rotate(array, 17, reshape=False)
    yield "scipy gaussian_filter", lambda: scipy.ndimage.gaussian_filter(floats, (1, 1, 0))
    yield "cv2 warpAffine", lambda m=cv2.getRotationMatrix2D((112, 112), 17, 1.0): cv2.warpAffine(array, m, (224, 224))
    yield "cv2 GaussianBlur", lambda: cv2.GaussianBlur(array, (23, 23), 1.0)
    yield "cv2 cvtColor to HSV and back", lambda: cv2.cvtColor(cv2.cvtColor(array, cv2.COLOR_RGB2HSV), cv2.COLOR_HSV2RGB)
    yield "cv2 cvtColor to Lab", lambda: cv2.cvtColor(array, cv2.COLOR_RGB2LAB)
    yield "NumPy normal noise, float64", lambda: np.random.randn(*array.shape)
    for name, change in {
        "ColorJitter": albumentations.ColorJitter(p=1), "HueSaturationValue": albumentations.HueSaturationValue(p=1),
        "GaussianBlur": albumentations.GaussianBlur(p=1), "MotionBlur": albumentations.MotionBlur(p=1), "Affine": albumentations.Affine(p=1),
        "Rotate": albumentations.Rotate(p=1), "Perspective": albumentations.Perspective(p=1), "ElasticTransform": albumentations.ElasticTransform(p=1),
        "GridDistortion": albumentations.GridDistortion(p=1), "OpticalDistortion": albumentations.OpticalDistortion(p=1),
        "CLAHE": albumentations.CLAHE(p=1), "GaussNoise": albumentations.GaussNoise(p=1), "ISONoise": albumentations.ISONoise(p=1),
        "HorizontalFlip": albumentations.HorizontalFlip(p=1),
    }.items():
        yield f"albumentations {name}", lambda change=change: change(image=array)


def spent(call, times):
    start = time.process_time()
    for _ in range(times):
        call()
    return (time.process_time() - start) / times * 1e3


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json")
    args = parser.parse_args()
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    result = {
        "cpu": next((line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), platform.machine()),
        "versions": {m.__name__: m.__version__ for m in (torch, torchvision, PIL, cv2, albumentations, skimage, scipy, np)},
        "rounds": args.rounds,
        "ms": {},
    }
    for name, call in jobs():
        call()
        times = max(3, int(60 / max(spent(call, 2), 0.02)))
        found = [round(spent(call, times), 4) for _ in range(args.rounds)]
        result["ms"][name] = found
        print(f"{name:45} {statistics.median(found):8.2f} ms ({min(found):.2f}–{max(found):.2f})", flush=True)
    if args.json:
        with open(args.json, "w") as f:
            json.dump(result, f, indent=1, ensure_ascii=False)
            f.write("\n")


if __name__ == "__main__":
    main()
