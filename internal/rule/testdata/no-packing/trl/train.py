from trl import ModelConfig, SFTConfig, SFTTrainer, TrlParser


def main():
    args, model_args = TrlParser((SFTConfig, ModelConfig)).parse_args_and_config()
    SFTTrainer(model=model_args.model_name_or_path, args=args).train()


main()
