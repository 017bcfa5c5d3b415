import os

import torch
import torch.backends.cudnn as cudnn

os.environ["OMP_NUM_THREADS"] = "4"  # want SAT703 "set after torch was imported"
torch.backends.cudnn.workspace_limit = 1 << 30  # want SAT703 "cudnn.workspace_limit is not a torch setting"
torch.backends.cuda.allow_tf32 = True  # want SAT703 "cuda.allow_tf32 is not a torch setting"
cudnn.benchmarks = True  # want SAT703 "cudnn.benchmarks is not a torch setting"
torch.manual_seed = 42  # want SAT703 "torch.manual_seed is not a torch setting"
torch.cuda.max_split_size_mb = 128  # want SAT703 "not a torch setting"
torch.backends.cuda.enable_flash_sdp = True  # want SAT703 "not a torch setting"
setattr(torch.backends.cudnn, "workspace_limit", 256)  # want SAT703 "cudnn.workspace_limit is not a torch setting"
os.environ["CUDNN_BENCHMARK"] = "1"  # want SAT703 "no library reads CUDNN_BENCHMARK"


def limit(args):
    cudnn.workspace_limit = args.workspace  # want SAT703 "cudnn.workspace_limit is not a torch setting"
    torch.backends.cudnn.fastest = True  # want SAT703 "cudnn.fastest is not a torch setting"
    return args
