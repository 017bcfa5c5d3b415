from transformers import TrainingArguments

args = TrainingArguments("out", optim="adamw_hf")  # want SAT406 "told to use an optimizer that is not fused"
