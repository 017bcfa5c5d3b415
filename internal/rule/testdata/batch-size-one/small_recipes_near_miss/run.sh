python train.py --batch_size 4 faces
python train.py --batch_size 128 faces
