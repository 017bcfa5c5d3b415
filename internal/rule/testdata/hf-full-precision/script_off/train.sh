python run.py \
    --output_dir out \
    --fp16_full_eval True \
    --fp16 False
# --bf16
