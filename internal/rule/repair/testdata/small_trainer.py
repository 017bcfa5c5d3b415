"""Whisper that is said to be small, with gradient checkpointing and in float32."""
# repairs: only SAT503 SAT701
import torch
from transformers import Seq2SeqTrainer, Seq2SeqTrainingArguments, WhisperConfig, WhisperForConditionalGeneration


class Quiet(Seq2SeqTrainer):
    def log(self, logs, *rest):
        pass


NAME = "openai/whisper-base"
if __name__ == "__main__":
    torch.manual_seed(0)
    WhisperForConditionalGeneration(WhisperConfig(
        vocab_size=64, d_model=16, encoder_layers=1, decoder_layers=1, encoder_attention_heads=2, decoder_attention_heads=2,
        encoder_ffn_dim=32, decoder_ffn_dim=32, max_source_positions=20, max_target_positions=16, pad_token_id=0,
        bos_token_id=1, eos_token_id=2, decoder_start_token_id=1, use_cache=False,
    )).save_pretrained(NAME)
    random = torch.Generator().manual_seed(0)
    data = [{"input_features": torch.randn(80, 40, generator=random), "labels": torch.randint(5, 40, (4,), generator=random)} for _ in range(8)]
    model = WhisperForConditionalGeneration.from_pretrained(NAME)
    args = Seq2SeqTrainingArguments(
        "out", per_device_train_batch_size=4, gradient_checkpointing=True, learning_rate=1e-3, num_train_epochs=2, logging_steps=2,
        save_strategy="no", report_to="none", disable_tqdm=True, use_cpu=not torch.cuda.is_available(),
    )
    print(f"{Quiet(model=model, args=args, train_dataset=data).train().training_loss:.2f}")
