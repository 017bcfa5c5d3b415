import os

os.environ["OMP_NUM_THREADS"] = "4"

import torch
import torch._dynamo

torch.backends.cudnn.benchmark = True
torch.backends.cudnn.benchmark_limit = 4
torch.backends.cudnn.allow_tf32 = True
torch.backends.cuda.matmul.allow_tf32 = True
torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = True
torch.backends.cudnn.conv.fp32_precision = "tf32"
torch.backends.fp32_precision = "tf32"
torch.backends.opt_einsum.strategy = "greedy"
torch.backends.quantized.engine = "qnnpack"
torch._dynamo.config.cache_size_limit = 64
torch.load = lambda path: path
torch.cuda.amp.autocast = None
os.environ["TOKENIZERS_PARALLELISM"] = "false"


class Config:
    pass


config = Config()
config.workspace_limit = 1


def worker():
    os.environ["MKL_NUM_THREADS"] = "1"


def patch(replacement):
    torch.backends.cuda.enable_flash_sdp = lambda enabled: None
    setattr(torch.backends.cudnn, "benchmark", True)
    setattr(config, "workspace_limit", 1)
    os.environ["CUDNN_LOGINFO_DBG"] = "1"
