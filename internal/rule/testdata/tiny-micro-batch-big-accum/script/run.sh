#!/bin/sh
accelerate launch train.py \
  --micro 1 --accum 32 "$@"
