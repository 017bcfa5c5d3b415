package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/xeipuuv/gojsonschema"
)

// TestDocumentsFitTheirSchemas runs commands and holds what they print to docs/schema.
func TestDocumentsFitTheirSchemas(t *testing.T) {
	dir := t.TempDir()
	traces, err := filepath.Abs("../../testdata/traces")
	if err != nil {
		t.Fatal(err)
	}
	starved, fixed := filepath.Join(traces, "starved.pt.trace.json.gz"), filepath.Join(traces, "fixed.pt.trace.json.gz")
	for name, text := range map[string]string{
		"train.py":     slowProgram,
		"texts.txt":    "one\ntwo\n",
		"before.jsonl": steps(0.4), "after.jsonl": steps(0.2),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"doctor", "--quick"},
		{"config"},
		{"rule"},
		{"rule", "SAT203"},
		{"scan", "train.py"},
		{"fix", "train.py"},
		{"instrument", "--diff", "train.py"},
		{"analyze", starved},
		{"analyze", filepath.Join(traces, "jax", "vm.xplane.pb")},
		{"compare", starved, fixed},
		{"compare", "before.jsonl", "after.jsonl"},
		{"report", "before.jsonl"},
		{"report"},
		{"export", fixed, "-o", "tables"},
		{"tts", "texts.txt", "-o", "speech", "--engine", "formant"},
		{"mel", "speech", "-o", "speech.h5", "--device", "cpu"},
		{"tune", "--list"},
		{"bench", "attention", "--framework", "go", "--seq", "16", "--batch", "1", "--d-model", "16", "--heads", "2", "--iterations", "3", "--no-run"},
	} {
		t.Run(args[0], func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			env := System()
			env.Dir, env.Stdout, env.Stderr = dir, &stdout, &stderr
			env.Vars = append(env.Vars, "SATURATE_RUNS="+filepath.Join(dir, "runs"))
			code := Main(env, append(args, "--format", "json"))
			if stdout.Len() == 0 {
				t.Fatalf("%v: exit code %d and no document: %s", args, code, stderr.String())
			}
			schema, err := os.ReadFile(filepath.Join("..", "..", "docs", "schema", args[0]+".json"))
			if err != nil {
				t.Fatal(err)
			}
			var rules map[string]any
			if err := json.Unmarshal(schema, &rules); err != nil {
				t.Fatal(err)
			}
			delete(rules, "$schema") // the validator knows an older draft, which has all that is used here
			result, err := gojsonschema.Validate(gojsonschema.NewGoLoader(rules), gojsonschema.NewBytesLoader(stdout.Bytes()))
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range result.Errors() {
				t.Errorf("%v: %s", args, e)
			}
		})
	}
}

const slowProgram = `import torch
from torch.utils.data import DataLoader, Dataset


class Clips(Dataset):
    def __getitem__(self, index):
        return torch.zeros(4), 1


model = torch.nn.Linear(4, 2).to("cuda")
optimizer = torch.optim.AdamW(model.parameters())
for inputs, labels in DataLoader(Clips(), batch_size=4):
    loss = torch.nn.functional.cross_entropy(model(inputs.to("cuda")), labels.to("cuda"))
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    print(loss.item())
`

// steps is a file of steps that take so long.
func steps(seconds float64) string {
	var b bytes.Buffer
	for i := range 20 {
		_ = json.NewEncoder(&b).Encode(map[string]float64{"step": float64(i + 1), "s": seconds * (1 + 0.01*float64(i%3))})
	}
	return b.String()
}
