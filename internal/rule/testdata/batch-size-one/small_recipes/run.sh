python train.py --batch_size 4 faces
