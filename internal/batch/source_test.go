package batch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"saturate/internal/patch"
	"saturate/internal/probe"
)

func TestSet(t *testing.T) {
	trained := 0
	for _, c := range []struct {
		name, program string // the line with # here makes the loader
		setting       string // name of a trainer's argument
		files         map[string]string
		command       []string
		diff, text    string
		typed         string
	}{
		{name: "literal", program: "loader = DataLoader(data, batch_size=8)  # here\n", diff: "+loader = DataLoader(data, batch_size=32)"},
		{name: "second argument", program: "loader = DataLoader(data, 8, True)  # here\n", diff: "+loader = DataLoader(data, 32, True)"},
		{name: "constant", program: "BATCH = 8\nEIGHT = 8\nloader = DataLoader(data, batch_size=BATCH)  # here\n", diff: "+BATCH = 32"},
		{name: "default", program: "def make(data, batch=8):\n    return DataLoader(data, batch_size=batch)  # here\n", diff: "+def make(data, batch=32):"},
		{name: "argparse", program: "p.add_argument('--batch-size', type=int, default=8)\nloader = DataLoader(data, batch_size=args.batch_size)  # here\n", diff: "default=32"},
		{
			name: "in the command", program: "p.add_argument('-b', '--batch-size', default=8)\nloader = DataLoader(data, batch_size=args.batch_size)  # here\n",
			command: []string{"-b", "8"}, typed: "-b 32", text: "run it with -b 32",
		},
		{name: "trainer", setting: "per_device_train_batch_size", program: "args = TrainingArguments(\n  per_device_train_batch_size=8,\n  per_device_eval_batch_size=8)  # here\n", diff: "+  per_device_train_batch_size=32,"},
		{
			name: "YAML", program: "loader = DataLoader(data, batch_size=config['batch_size'])  # here\n", command: []string{"--config", "c.yaml"},
			files: map[string]string{"c.yaml": "lr: 8\nbatch_size: 8  # per GPU\n"}, diff: "+batch_size: 32  # per GPU",
		},
		{name: "two values", program: "make(batch=8)\ntest(batch=8)\nloader = DataLoader(data, batch_size=batch)  # here\n", text: "set batch_size to 32 (train.py:3)"},
		{name: "computed", program: "loader = DataLoader(data, batch_size=4 * gpus)  # here\n", text: "set batch_size to 32 (train.py:1)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "train.py")
			write := func(path, text string) {
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			write(path, c.program)
			for name, text := range c.files {
				write(filepath.Join(dir, name), text)
			}
			line := 1 + strings.Count(c.program[:strings.Index(c.program, "# here")], "\n")
			told := probe.BatchTold{Trained: &trained, Loaders: []probe.BatchLoader{{File: path, Line: line}}}
			if c.setting != "" {
				told.Setting = &probe.Setting{Name: c.setting, File: path, Line: line}
			}
			got := Set(dir, append([]string{"python", "train.py"}, c.command...), told, 8, 32)
			if diff := string(patch.Diff(got.Changes)); !strings.Contains(diff, c.diff) || (c.diff == "") != (diff == "") {
				t.Errorf("diff:\n%s", diff)
			}
			if c.text != "" && got.Text != c.text {
				t.Errorf("text %q", got.Text)
			}
			if !strings.HasSuffix(strings.Join(got.Command, " "), c.typed) {
				t.Errorf("command %q", got.Command)
			}
		})
	}
}
