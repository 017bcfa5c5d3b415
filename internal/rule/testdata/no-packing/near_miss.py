from trl import DPOConfig, SFTConfig, SFTTrainer

packed = SFTConfig(output_dir="out", packing=True)
free = SFTConfig(output_dir="out", padding_free=True)
other = DPOConfig(output_dir="out")


def build(options):
    return SFTConfig(**options)


SFTTrainer("Qwen/Qwen3-0.6B", args=packed).train()
