#!/bin/sh
export NCCL_P2P_DISABLE=1
torchrun --nproc_per_node 4 train.py
