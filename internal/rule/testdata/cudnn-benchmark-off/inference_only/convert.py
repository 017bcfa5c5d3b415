import torch

import utils

torch.backends.cudnn.deterministic = True
utils.enlarge_checkpoint("model.pt")
