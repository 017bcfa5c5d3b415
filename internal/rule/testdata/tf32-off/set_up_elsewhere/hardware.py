import torch


def configure(tf32):
    setattr(torch.backends.cuda.matmul, "allow_tf32", tf32)  # want SAT404 "TF32 is switched off"
    return torch.device("cuda")
