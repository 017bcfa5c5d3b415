package repair

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A settings file gets the count of workers of the machine that it is repaired on; the finding is the same everywhere.
func TestWorkersOfThisMachine(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	settings := "training:\n  output_dir: out\n  per_device_train_batch_size: 8\n  learning_rate: 1.0e-4\n"
	write("config.yaml", settings+"  dataloader_num_workers: 0\n")
	settled(t, dir)
	write("config.yaml", settings)
	write("train.py", "import yaml\nfrom transformers import Trainer, TrainingArguments\n\nwith open(\"config.yaml\") as f:\n    config = yaml.safe_load(f)\n"+
		"Trainer(model=model, args=TrainingArguments(**config[\"training\"]), train_dataset=data).train()\n")
	settled(t, dir)
}

func settled(t *testing.T, dir string) {
	t.Helper()
	var message string
	for cores, want := range map[int]string{0: "4", 1: "1", 6: "3", 16: "8", 128: "8"} {
		plan, err := Make(context.Background(), Options{Paths: []string{dir}, Unsafe: true, Cores: cores})
		if err != nil {
			t.Fatal(err)
		}
		if len(plan.Made) == 0 || len(plan.Changes) != 1 {
			t.Fatalf("%d repairs, %d changes", len(plan.Made), len(plan.Changes))
		}
		if text := string(plan.Changes[0].New); !strings.Contains(text, "dataloader_num_workers: "+want+"\n") {
			t.Errorf("%d cores: %s", cores, text)
		}
		made := plan.Made[slices.IndexFunc(plan.Made, func(m Made) bool { return m.Finding.Code == "SAT704" })]
		if message == "" {
			message = made.Finding.Message
		}
		if made.Finding.Message != message || cores > 0 && !strings.Contains(made.Patch.Title, "this machine has ") {
			t.Errorf("%d cores: %q, %q", cores, made.Finding.Message, made.Patch.Title)
		}
	}
}
