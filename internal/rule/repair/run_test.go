package repair

import (
	"flag"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"saturate/internal/finding"
	"saturate/internal/patch"
	"saturate/internal/rule"
)

var only = flag.String("program", "*", "run the programs whose name matches, and look at no others")

// A program says which rules must repair it, and with which repair where it is not the first; and whether others may,
// which is the rule:
//
//	# repairs: SAT203 SAT401/2
//	# repairs: only SAT207
//
// The versions that it is written for are those of testdata/requirements.txt, unless it names others:
//
//	# versions: torch>=2.6
var (
	repairsLine  = regexp.MustCompile(`(?m)^# repairs:(.*)$`)
	versionsLine = regexp.MustCompile(`(?m)^# versions:(.*)$`)
)

// notRun are the rules whose repairs no program shows, and why not.
var notRun = map[string]string{
	"SAT115": "trl is not installed",
	"SAT121": "datasets is not installed, and what stands in for it has one process",
	"SAT123": "datasets is not installed, and what stands in for it keeps no files",
	"SAT204": "pin_memory() needs a GPU",
	"SAT307": "torch.cuda.synchronize() needs a GPU",
	"SAT413": "cuDNN needs a GPU",
	"SAT415": "torchvision is not installed",
	"SAT419": "peft is not installed",
	"SAT501": "bitsandbytes is not installed",
	"SAT508": "peft and bitsandbytes are not installed",
	"SAT604": "NCCL needs GPUs",
	"SAT605": "DeepSpeed is not installed",
}

// TestRepairedProgramsRun runs programs before and after all of their repairs, unsafe ones included, on the CPU: they
// print the same numbers.
func TestRepairedProgramsRun(t *testing.T) {
	python := os.Getenv("SATURATE_TEST_PYTHON")
	if python == "" {
		t.Skip("SATURATE_TEST_PYTHON is not set")
	}
	dir := t.TempDir()
	var names []string
	for _, p := range programs(t) {
		if ok, err := filepath.Match(*only, strings.TrimSuffix(p.name, ".py")); err != nil || !ok {
			continue
		}
		names = append(names, p.name)
		for side, text := range map[string]string{"before": p.text, "after": p.repaired(t)} {
			path := filepath.Join(dir, side, p.name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	driver, err := filepath.Abs("testdata/driver/run.py")
	if err != nil {
		t.Fatal(err)
	}
	runtime, err := filepath.Abs("../../../python")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, append([]string{"-W", "ignore", driver}, names...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "CUDA_VISIBLE_DEVICES=", "HF_HUB_OFFLINE=1", "OMP_NUM_THREADS=1", "PYTHONPATH="+runtime, "PYTHONDONTWRITEBYTECODE=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range names {
		// Whether one is read in each step or not, every number is the same to the digits that are printed.
		before, after := printed(t, dir, "before", name), printed(t, dir, "after", name)
		if before != after || before == "" || strings.Contains(before, "Traceback") {
			repaired, _ := os.ReadFile(filepath.Join(dir, "after", name))
			t.Errorf("%s: before\n%s\nafter\n%s\n%s", name, before, after, repaired)
		}
	}
}

func printed(t *testing.T, dir, side, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, side, name+".out"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestEveryRepairIsRun holds the programs to the rules: each rule that repairs is in one, or is named with the reason.
func TestEveryRepairIsRun(t *testing.T) {
	run := map[string]bool{}
	for _, p := range programs(t) {
		for code := range p.codes {
			run[code] = true
		}
	}
	for _, r := range rule.All() {
		repairs, known := r.Safety != rule.NoFix, notRun[r.Code] != ""
		switch {
		case repairs && !run[r.Code] && !known:
			t.Errorf("%s %s: no program in testdata runs its repair", r.Code, r.Name)
		case known && (run[r.Code] || !repairs):
			t.Errorf("%s %s needs no reason for not being run", r.Code, r.Name)
		case run[r.Code] && !repairs:
			t.Errorf("%s %s repairs nothing", r.Code, r.Name)
		}
	}
}

type program struct {
	name, text string
	codes      map[string]int // the rules that must repair it, and which repair of theirs is taken
	only       bool           // and no others
}

func programs(t *testing.T) (list []program) {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.py")
	if err != nil || len(paths) == 0 {
		t.Fatal(err, len(paths))
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		p := program{name: filepath.Base(path), text: string(text), codes: map[string]int{}}
		if line := repairsLine.FindStringSubmatch(p.text); line != nil {
			for word := range strings.FieldsSeq(line[1]) {
				if word == "only" {
					p.only = true
					continue
				}
				code, which, _ := strings.Cut(word, "/")
				p.codes[code], _ = strconv.Atoi(which)
			}
		}
		if len(p.codes) == 0 {
			t.Errorf("%s does not say what is repaired in it", path)
		}
		list = append(list, p)
	}
	return list
}

// repaired is the program with its repairs, which must be those that it names and may be more.
func (p program) repaired(t *testing.T) string {
	t.Helper()
	versions, err := os.ReadFile("testdata/requirements.txt")
	if err != nil {
		t.Fatal(err)
	}
	if line := versionsLine.FindStringSubmatch(p.text); line != nil {
		versions = []byte(strings.Join(strings.Fields(line[1]), "\n"))
	}
	plan := planOf(t, Options{
		Paths: []string{folder(t, map[string]string{p.name: p.text, "requirements.txt": string(versions)})},
		Pick:  p.pick,
		Tries: p.only, // also what is worth no more than a try
		Rules: rule.Selection{Small: slices.Collect(maps.Keys(p.codes))},
	})
	var made []string
	for _, m := range plan.Made {
		made = append(made, m.Finding.Code)
	}
	for code := range p.codes {
		if !slices.Contains(made, code) {
			t.Errorf("%s: %s is not repaired (repaired: %v)", p.name, code, made)
		}
	}
	for _, l := range plan.Left {
		if l.Reason == Withheld {
			t.Errorf("%s: %s is withheld: %s", p.name, l.Finding.Code, l.Detail)
		}
	}
	return repaired(plan, p.name)
}

// pick takes the repair that the program names, and the first of any other rule that is not only shown.
func (p program) pick(f finding.Finding) *patch.Patch {
	which, named := p.codes[f.Code]
	which = max(which, 1)
	if which > len(f.Fixes) || !named && (p.only || f.Fixes[0].Safety == patch.DisplayOnly) {
		return nil
	}
	return &f.Fixes[which-1]
}
