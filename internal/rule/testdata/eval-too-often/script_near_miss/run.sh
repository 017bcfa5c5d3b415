# python train.py --evaluation_strategy steps --eval_steps 10
python train.py --evaluation_strategy steps --eval_steps 500
python other.py --evaluation_strategy epoch --eval_steps 10
