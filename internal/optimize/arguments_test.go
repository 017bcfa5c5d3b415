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
