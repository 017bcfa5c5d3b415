# The inputs of a model, so that it can be called without its program.


def example_inputs(torch, model):
    """Positional and named inputs of a batch of one, and their description; None if they are unknown."""
    mels = getattr(getattr(model, "dims", None), "n_mels", None)
    if mels:  # OpenAI's Whisper
        return [torch.randn(1, mels, 3000), torch.zeros(1, 4, dtype=torch.long)], {}, "a mel spectrogram of (1, %d, 3000)" % mels
    mels = getattr(getattr(model, "config", None), "num_mel_bins", None)
    if mels:  # that of transformers
        named = {"input_features": torch.randn(1, mels, 3000), "decoder_input_ids": torch.zeros(1, 4, dtype=torch.long)}
        return [], named, "a mel spectrogram of (1, %d, 3000)" % mels
    for layer in model.modules():
        kind = getattr(layer, "original_name", type(layer).__name__)
        weight = getattr(layer, "weight", None)
        size = _input_size(kind, tuple(weight.shape)) if isinstance(weight, torch.Tensor) else None
        if size is None:
            continue
        told = "an input of %s, from its first layer, %s" % ("x".join(map(str, size)), kind)
        if kind == "Embedding":
            return [torch.randint(0, weight.shape[0], size)], {}, told
        return [torch.randn(*size)], {}, told
    return None


def _input_size(kind, weight):
    return {
        "Conv1d": lambda: (1, weight[1], 3000),
        "Conv2d": lambda: (1, weight[1], 224, 224),
        "Conv3d": lambda: (1, weight[1], 16, 112, 112),
        "Linear": lambda: (1, weight[1]),
        "Embedding": lambda: (1, 128),
    }.get(kind, lambda: None)()
