OPTIONS="--max_steps 5000 --fp16"
python run.py \
    --output_dir out \
    $OPTIONS
