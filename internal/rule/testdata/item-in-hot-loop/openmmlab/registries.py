from mmcv.utils import Registry

HEADS = Registry("head")
SEGMENTORS = Registry("segmentor")
