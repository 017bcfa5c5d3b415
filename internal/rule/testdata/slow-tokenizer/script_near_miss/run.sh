python train.py --name bert-base-cased --output_dir out
python train.py --name bert-base-cased --use_fast False --output_dir out2
