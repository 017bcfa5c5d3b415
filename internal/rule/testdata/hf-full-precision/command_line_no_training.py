"""Arguments of something else, and a program that trains with none of transformers' own."""
from dataclasses import dataclass

from transformers import HfArgumentParser
from trl import SFTConfig, SFTTrainer


@dataclass
class ScriptArguments:
    name: str = "gpt2"


def main():
    (script_args,) = HfArgumentParser(ScriptArguments).parse_args_into_dataclasses()
    script_args, training_args = HfArgumentParser((ScriptArguments, SFTConfig)).parse_args_into_dataclasses()
    SFTTrainer(script_args.name, args=training_args).train()
