from .layers import Block, Other
