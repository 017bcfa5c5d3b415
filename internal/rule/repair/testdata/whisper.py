"""Whisper from a configuration, on random features: the causal mask is handed over, the loss stays the same."""
# repairs: SAT201 SAT203 SAT311 SAT316 SAT401 SAT406
import torch
from torch.utils.data import DataLoader, Dataset
from transformers import WhisperConfig, WhisperForConditionalGeneration

device = "cuda" if torch.cuda.is_available() else "cpu"


class Clips(Dataset):
    def __len__(self):
        return 12

    def __getitem__(self, i):
        random = torch.Generator().manual_seed(i)
        return {"x": torch.randn(80, 200, generator=random), "y": torch.randint(5, 40, (7,), generator=random)}


def main():
    torch.manual_seed(0)
    config = WhisperConfig(
        vocab_size=64, d_model=16, encoder_layers=1, decoder_layers=1, encoder_attention_heads=2, decoder_attention_heads=2,
        encoder_ffn_dim=32, decoder_ffn_dim=32, max_source_positions=100, max_target_positions=16, pad_token_id=0,
        bos_token_id=1, eos_token_id=2, decoder_start_token_id=1, use_cache=False, dropout=0.0, attention_dropout=0.0,
    )
    model = WhisperForConditionalGeneration(config).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    train_loader = DataLoader(Clips(), batch_size=4)
    losses = []
    for batch in train_loader:
        features = batch["x"].to(device)
        labels = batch["y"].to(device)
        loss = model(input_features=features, labels=labels).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    for loss in losses:
        print(f"loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
