from trl import SFTConfig, SFTTrainer

config = SFTConfig(output_dir="out", max_length=2048)  # want SAT115 "one text plus padding"
off = SFTConfig(output_dir="out", packing=False)  # want SAT115 "padding"
trainer = SFTTrainer("Qwen/Qwen3-0.6B", args=config)
trainer.train()
