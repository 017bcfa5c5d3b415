python other.py --fp16
