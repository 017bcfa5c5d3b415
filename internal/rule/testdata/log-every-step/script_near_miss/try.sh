python train.py --logging_steps 1 --max_steps 20
