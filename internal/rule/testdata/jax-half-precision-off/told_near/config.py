import ml_collections


def get_config():
    c = ml_collections.ConfigDict()
    c.width = 64
    c.compute_dtype = "bfloat16"
    return c
