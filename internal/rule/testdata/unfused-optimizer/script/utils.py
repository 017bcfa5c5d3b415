from torch.optim import AdamW


def make(model):
    return AdamW(model.parameters(), lr=1e-4)  # want SAT406 "not fused"
