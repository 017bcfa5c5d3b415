class Params:
    cached = True
    batch_size = 52
