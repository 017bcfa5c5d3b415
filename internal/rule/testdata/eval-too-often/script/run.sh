# python train.py --evaluation_strategy steps --eval_steps 10
python train.py \
    --evaluation_strategy steps \
    --eval_steps 100
