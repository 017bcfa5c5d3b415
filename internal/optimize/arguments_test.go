package optimize

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"saturate/internal/probe"
	"saturate/internal/run"
	"saturate/internal/verify"
)

const trainerProgram = `from transformers import HfArgumentParser, Trainer, TrainingArguments

from data import Clips


def main():
    (args,) = HfArgumentParser(TrainingArguments).parse_args_into_dataclasses()
    trainer = Trainer(model=make(), args=args, train_dataset=Clips())
    trainer.train()


main()
`

// A trainer whose settings come from the command line is repaired in the command; the counts of workers are measured
// among each other.
func TestRepairOfTheCommand(t *testing.T) {
	w := newWorld(1)
	o := w.options(t)
	o.Command = []string{"python", "train.py", "--output_dir", "out"}
	if err := os.WriteFile(filepath.Join(o.Dir, "train.py"), []byte(trainerProgram), 0o644); err != nil {
		t.Fatal(err)
	}
	o.Profile = func(context.Context, probe.Home, []string, int, string) (Profiled, error) {
		r := run.Run{}
		for i := range 30 {
			r.Steps = append(r.Steps, run.Step{Index: i + 1, Seconds: 0.1, Samples: 8, Parts: []run.Part{{Name: "data", Seconds: 0.06}, {Name: "forward", Seconds: 0.04}}})
		}
		return Profiled{Run: r, Cores: 2, InProcess: 0.002}, nil
	}
	o.Execute = func(ctx context.Context, trial verify.Trial) (run.Run, error) {
		w.effects = nil
		if at := slices.Index(trial.Command, "--dataloader_num_workers"); at > 0 {
			w.effects = []effect{{shows: "Trainer", seconds: map[string]float64{"1": 0.8, "2": 0.5}[trial.Command[at+1]], loss: 1, waits: 0.3}}
		}
		return w.execute(ctx, trial)
	}
	result, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(result.RunWith, " "); got != "python train.py --output_dir out --dataloader_num_workers 2" {
		t.Errorf("trained with %q: %v", got, decisions(result))
	}
	if result.Final == nil || result.Final.Verdict != verify.Faster || result.Diff != "" {
		t.Errorf("no proof, or a patch of the source:\n%s", result.Diff)
	}
}

// A command that has the trainer compute activations twice is tried without that.
func TestCommandKeepsActivations(t *testing.T) {
	w := newWorld(1)
	o := w.options(t)
	o.Command = []string{"python", "train.py", "--gradient_checkpointing", "True", "--output_dir", "out"}
	if err := os.WriteFile(filepath.Join(o.Dir, "train.py"), []byte(trainerProgram), 0o644); err != nil {
		t.Fatal(err)
	}
	o.Profile = func(context.Context, probe.Home, []string, int, string) (Profiled, error) {
		r := run.Run{}
		for i := range 30 {
			r.Steps = append(r.Steps, run.Step{Index: i + 1, Seconds: 0.1, Samples: 8, Parts: []run.Part{{Name: "forward", Seconds: 0.1}}})
		}
		return Profiled{Run: r, Cores: 2}, nil
	}
	o.Execute = func(ctx context.Context, trial verify.Trial) (run.Run, error) {
		w.effects = nil
		if slices.Contains(trial.Command, "False") {
			w.effects = []effect{{shows: "Trainer", seconds: 0.8, loss: 1}}
		}
		return w.execute(ctx, trial)
	}
	result, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(result.RunWith, " "); got != "python train.py --gradient_checkpointing False --output_dir out" {
		t.Errorf("trained with %q: %v", got, decisions(result))
	}
}

func TestSwitchesOfACommand(t *testing.T) {
	for command, want := range map[string]string{
		"train.py --ckpt --bf16 True": "train.py --ckpt False --bf16 True",
		"train.py --ckpt":             "train.py --ckpt False",
		"train.py --ckpt yes":         "train.py --ckpt False",
		"train.py --ckpt=True":        "train.py --ckpt=False",
		"train.py --ckpt False":       "", // it is off
		"train.py --ckpt_dir out":     "",
	} {
		words, got := strings.Fields(command), ""
		if turnsOn(words, "--ckpt") {
			got = strings.Join(withArguments(words, "--ckpt", "False"), " ")
		}
		if got != want {
			t.Errorf("%s becomes %q, want %q", command, got, want)
		}
	}
}
