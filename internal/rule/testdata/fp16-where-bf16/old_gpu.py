# Runs on a T4, which has no bfloat16.
from transformers import TrainingArguments

args = TrainingArguments("out", fp16=True)
