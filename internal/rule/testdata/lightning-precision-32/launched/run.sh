accelerate launch \
    --num_processes 2 \
    --mixed_precision no \
    train.py --lr 1e-3
