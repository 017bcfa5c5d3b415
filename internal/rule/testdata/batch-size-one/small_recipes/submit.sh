python submit.py --nodes 8 --batch_size 2 faces
