from .plain import Net
