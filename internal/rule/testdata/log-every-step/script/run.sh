python train.py \
  --logging_steps 1 \
  --bf16 True
