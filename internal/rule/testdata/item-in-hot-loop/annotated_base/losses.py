import torch


class Matched(torch.nn.Module):
    def forward(self, outputs, targets):
        cost = torch.cdist(outputs, targets)
        worst = cost.max().item()  # want SAT301 "waits for the GPU in every step"
        return cost.mean() / worst


class Unused(torch.nn.Module):
    def of(self, outputs):
        return outputs.max().item()
