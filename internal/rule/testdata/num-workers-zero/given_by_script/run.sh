#!/bin/sh
python train.py --readers=4 | tee log.txt
