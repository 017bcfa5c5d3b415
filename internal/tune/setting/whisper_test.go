package setting

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// whisperCase measures the emitted module's candidates on Whisper as transformers has it, and on a model that is called
// as OpenAI's is. A candidate that cannot be called raises; one that does not help is only not kept.
const whisperCase = `
import types
import torch
import saturate_tune
from transformers import WhisperConfig, WhisperForConditionalGeneration

small = dict(d_model=64, encoder_layers=1, decoder_layers=1, encoder_attention_heads=2, decoder_attention_heads=2,
             encoder_ffn_dim=64, decoder_ffn_dim=64, vocab_size=20000, pad_token_id=0, bos_token_id=1, eos_token_id=2,
             decoder_start_token_id=1, suppress_tokens=None, begin_suppress_tokens=None)

class OpenAI(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.dims = types.SimpleNamespace(n_mels=80)
        self.encoder = torch.nn.Conv1d(80, 64, 3)
        self.embedding = torch.nn.Embedding(20000, 64)

    def forward(self, mel, tokens):
        return self.encoder(mel).mean() + self.embedding(tokens).mean()

whisper = WhisperForConditionalGeneration(WhisperConfig(**small)).eval()
for model in (whisper, OpenAI().eval()):
    inputs = saturate_tune._example(torch, model)
    assert len(saturate_tune._time(torch, model, inputs)) == saturate_tune.TIMED
for said in saturate_tune.apply_platform_optimizations("cpu", whisper, 2):
    assert not said.get("error"), said
print("measured")
`

// TestLifeInAProgram measures a small model of plain torch in every test.
func TestModuleMeasuresWhisper(t *testing.T) {
	python := os.Getenv("SATURATE_TEST_PYTHON")
	if python == "" {
		t.Skip("SATURATE_TEST_PYTHON is not set: no Python with transformers to make a Whisper with")
	}
	if os.Getenv("SATURATE_ACCEPT") == "" {
		t.Skip("SATURATE_ACCEPT is not set: importing transformers and measuring Whisper takes long")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "saturate_tune.py"), Module(), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "-c", whisperCase)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "HF_HUB_OFFLINE=1")
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "measured") {
		t.Errorf("%v\n%s", err, out)
	}
}
