#!/bin/sh
python train.py --batch-size 256 \
    -j 2
