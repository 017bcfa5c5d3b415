from trl import DPOConfig, DPOTrainer, ModelConfig, TrlParser


def main():
    args, model_args = TrlParser((DPOConfig, ModelConfig)).parse_args_and_config()
    DPOTrainer(model=model_args.model_name_or_path, args=args).train()


main()
