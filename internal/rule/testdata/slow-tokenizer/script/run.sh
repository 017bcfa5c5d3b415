python train.py --name bert-base-cased \
  --use_fast False --output_dir out
