"""Whisper in the trainer of transformers, sorted by a length that all samples share, loaded by one process."""
# repairs: only SAT202 SAT704 SAT705
import torch
from torch.utils.data import Dataset
from transformers import Seq2SeqTrainer, Seq2SeqTrainingArguments, WhisperConfig, WhisperFeatureExtractor, WhisperForConditionalGeneration


class Speech(Dataset):
    def __init__(self):
        self.extractor = WhisperFeatureExtractor(chunk_length=1)
        self.seeds = list(range(8))

    def __len__(self):
        return len(self.seeds)

    def __getitem__(self, i):
        random = torch.Generator().manual_seed(self.seeds[i])
        features = self.extractor(torch.randn(8000, generator=random).numpy(), sampling_rate=16000).input_features[0]
        return {"input_features": features, "labels": torch.randint(5, 40, (4,), generator=random)}


class Shown(Seq2SeqTrainer):
    def log(self, logs, *rest):
        if "loss" in logs:
            print(f"{logs['loss']:.3f}")


if __name__ == "__main__":
    config = WhisperConfig(
        vocab_size=64, d_model=16, encoder_layers=1, decoder_layers=1, encoder_attention_heads=2, decoder_attention_heads=2,
        encoder_ffn_dim=32, decoder_ffn_dim=32, max_source_positions=50, max_target_positions=16, pad_token_id=0,
        bos_token_id=1, eos_token_id=2, decoder_start_token_id=1, use_cache=False,
    )
    torch.manual_seed(0)
    model = WhisperForConditionalGeneration(config)
    args = Seq2SeqTrainingArguments(
        "out", train_sampling_strategy="group_by_length", per_device_train_batch_size=4, num_train_epochs=2, learning_rate=0.0,
        logging_steps=2, save_strategy="no", report_to="none", disable_tqdm=True, use_cpu=not torch.cuda.is_available(),
    )
    Shown(model=model, args=args, train_dataset=Speech(), processing_class=WhisperFeatureExtractor()).train()
