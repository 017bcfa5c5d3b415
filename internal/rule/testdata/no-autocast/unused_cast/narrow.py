def shrink(layer):
    layer.weight.data = layer.weight.data.half()


def count(model):
    return sum(w.numel() for w in model.parameters())
