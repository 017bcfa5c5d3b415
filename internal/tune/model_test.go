package tune

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"saturate/internal/tune/setting"
)

// modelCases asks saturate_model for the inputs of every kind of model, in one process.
const modelCases = `
import os, sys
import torch
import saturate_model as m

def shapes(model, example=None, shape=""):
    args, kwargs, told = m.inputs(model, example, shape)
    values = list(args) + list(kwargs.values())
    with torch.no_grad():
        model(*args, **kwargs)
    return " ".join("x".join(map(str, v.shape)) for v in values), told

net = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.ReLU())
print("conv", *shapes(net))
print("given", *shapes(net, shape="2x3x8x8"))
print("linear", *shapes(torch.nn.Linear(7, 2)))
print("embedding", *shapes(torch.nn.Embedding(11, 2)))
torch.jit.script(torch.nn.Sequential(torch.nn.Conv1d(80, 4, 3))).save("script.pt")
print("script", *shapes(m.load("script.pt")[0]))
torch.export.save(torch.export.export(torch.nn.Linear(5, 2), (torch.randn(6, 5),)), "exported.pt2")
model, example = m.load("exported.pt2")
print("exported", *shapes(model, example))
with open("made.py", "w") as f:
    f.write("import torch\ndef make():\n    return torch.nn.Linear(9, 2)\nready = make()\n")
print("factory", *shapes(m.load("made.py:make")[0]))
print("instance", *shapes(m.load("made.py:ready")[0]))

class Whisper(torch.nn.Module):  # as OpenAI's: dims, and forward(mel, tokens)
    def __init__(self):
        super().__init__()
        self.dims = type("Dims", (), {"n_mels": 128})()
        self.conv = torch.nn.Conv1d(128, 2, 3)
    def forward(self, mel, tokens):
        return self.conv(mel)
print("whisper", *shapes(Whisper()))
from transformers import WhisperConfig, WhisperForConditionalGeneration
config = WhisperConfig(vocab_size=32, num_mel_bins=80, d_model=8, encoder_layers=1, decoder_layers=1, encoder_attention_heads=1, decoder_attention_heads=1,
    encoder_ffn_dim=8, decoder_ffn_dim=8, pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=1)
print("transformers", *shapes(WhisperForConditionalGeneration(config).eval()))
for bad in ("nowhere.pt", "nowhere.py:make", "made.py:other", "made.py", "x:y:z"):
    try:
        m.load(bad)
    except (SystemExit, ModuleNotFoundError) as error:
        print("bad", bad, error)
for call in (lambda: m.inputs(torch.nn.ReLU(), None, ""), lambda: m.inputs(net, None, "2xthree"), lambda: m.inputs(net, None, "2:int99")):
    try:
        call()
    except SystemExit as error:
        print("bad", error)
`

func TestModelInputs(t *testing.T) {
	python := os.Getenv("SATURATE_TEST_PYTHON")
	if python == "" {
		t.Skip("SATURATE_TEST_PYTHON is not set: no Python with torch to make models with")
	}
	dir := t.TempDir()
	for name, text := range map[string][]byte{"saturate_model.py": caller, "saturate_inputs.py": setting.Inputs()} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(python, "-c", modelCases)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "OMP_NUM_THREADS=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{
		"conv 1x3x224x224 an input of 1x3x224x224, from its first layer, Conv2d",
		"given 2x3x8x8 an input of 2x3x8x8",
		"linear 1x7 ", "embedding 1x128 ", "script 1x80x3000 ",
		"exported 6x5 its export inputs",
		"factory 1x9 ", "instance 1x9 ",
		"whisper 1x128x3000 1x4 a mel spectrogram of (1, 128, 3000)",
		"transformers 1x80x3000 1x4 a mel spectrogram of (1, 80, 3000)",
		"bad nowhere.pt model nowhere.pt does not exist",
		"bad nowhere.py:make nowhere.py does not exist",
		"bad made.py:other made has no other",
		"bad made.py made.py is not a TorchScript file",
		"bad the model's input shape is unknown; set it with --shape",
		"bad '2xthree' is not a shape", "bad '2:int99' is not a shape",
	} {
		if !strings.Contains(string(out), "\n"+want) && !strings.HasPrefix(string(out), want) {
			t.Errorf("there is no line %q in\n%s", want, out)
		}
	}
}
