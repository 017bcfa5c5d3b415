#!/bin/sh
accelerate launch train.py \
  --micro 16 --accum 32
