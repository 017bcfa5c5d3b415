from transformers import AutoProcessor
from trl import SFTConfig, SFTTrainer

processor = AutoProcessor.from_pretrained("Qwen/Qwen2-VL-2B-Instruct")
SFTTrainer("Qwen/Qwen2-VL-2B-Instruct", args=SFTConfig("out"), data_collator=lambda rows: processor(rows)).train()
