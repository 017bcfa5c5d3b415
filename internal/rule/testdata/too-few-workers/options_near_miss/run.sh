#!/bin/sh
python train.py --batch-size 256 --workers 2
python train.py --batch-size 256
