package tune

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"saturate/internal/probe"
	"saturate/internal/run"
	"saturate/internal/tune/setting"
	"saturate/internal/verify"
)

// choice is a setting that is a variable of its name.
func choice(name string, level int, numerics setting.Numerics) setting.Choice {
	return setting.Choice{Setting: setting.Setting{
		Name: name, Level: level, Numerics: numerics,
		Ways: []setting.Way{{Env: []setting.Variable{{Name: "SET_" + name, Value: "on"}}}},
	}}
}

func choices(level int, names ...string) []setting.Choice {
	var set []setting.Choice
	for _, name := range names {
		set = append(set, choice(name, level, setting.Same))
	}
	return set
}

// set are the settings that a program starts with.
func set(env []string) []string {
	var names []string
	for _, entry := range env {
		if name, ok := strings.CutPrefix(entry, "SET_"); ok {
			names = append(names, strings.TrimSuffix(name, "=on"))
		}
	}
	return names
}

// program simulates one that is run: how long its steps take with a setting, and which it cannot bear.
type program struct {
	t          *testing.T
	factor     map[string]float64 // of the step time, by setting
	loss       map[string]float64 // added to the loss, by setting
	crashes    []string
	whole      int // steps that it makes by itself
	own        int // its own exit code
	parameters int64
	hiccup     bool // one step takes long
	imports    map[string]string
	reports    func(on []string) []setting.Observation

	random  *rand.Rand
	ran     [][]string // the settings of each run
	trials  int
	flukes  int // trials after which factors no longer hold
	perStep float64
}

func (p *program) watch(_ context.Context, a Attempt) (probe.Outcome, error) {
	on := set(a.Env)
	p.ran = append(p.ran, on)
	steps, exit := p.whole, p.own
	for _, name := range p.crashes {
		if slices.Contains(on, name) {
			steps, exit = min(steps, 1), 139
		}
	}
	out := probe.Outcome{Exit: exit, Facts: probe.Facts{Parameters: p.parameters, Versions: p.imports}}
	if a.Steps > 0 && a.Steps <= steps {
		steps, out.Stopped, out.Exit = a.Steps, true, 0
	}
	for i := range steps {
		out.Run.Steps = append(out.Run.Steps, run.Step{Index: i + 1, Seconds: 0.1})
	}
	if p.hiccup && steps > 0 {
		out.Run.Steps[steps-1].Seconds = 50
	}
	out.Run.WallSeconds = p.perStep * float64(steps)
	if p.reports != nil {
		for _, o := range p.reports(on) {
			text, err := json.Marshal(o)
			if err != nil {
				p.t.Fatal(err)
			}
			out.Reports = append(out.Reports, text)
		}
	}
	return out, nil
}

func (p *program) execute(_ context.Context, trial verify.Trial) (run.Run, error) {
	p.trials++
	on := set(trial.Env)
	seconds, code, more := 0.1*(1+0.002*p.random.NormFloat64()), 0, 0.0
	for _, name := range on {
		if f := p.factor[name]; f > 0 && (p.flukes == 0 || p.trials <= p.flukes) {
			seconds *= f
		}
		more += p.loss[name]
	}
	r := run.Run{State: run.Complete, ExitCode: &code}
	for i := range trial.Steps {
		loss := run.Number(2 + more - 0.01*float64(i))
		r.Steps = append(r.Steps, run.Step{Index: i + 1, Seconds: seconds * (1 + 0.005*p.random.NormFloat64()), Samples: 8, Loss: &loss})
	}
	for _, name := range p.crashes {
		if slices.Contains(on, name) {
			code, r.Steps = 1, nil
		}
	}
	return r, nil
}

func simulated(t *testing.T, p *program) Options {
	t.Helper()
	p.t, p.random = t, rand.New(rand.NewPCG(1, 2))
	if p.whole == 0 {
		p.whole = 100
	}
	if p.reports == nil {
		p.reports = func(on []string) (all []setting.Observation) {
			for _, name := range on {
				all = append(all, setting.Observation{Setting: name, When: "applied", Read: true, InEffect: truth(true)}, setting.Observation{Setting: name, When: "exit", Read: true, InEffect: truth(true)})
			}
			return all
		}
	}
	if p.perStep == 0 {
		p.perStep = 0.01
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "train.py"), []byte("pass\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return Options{
		Command: []string{"python", "train.py"}, Dir: dir, Environ: []string{}, State: filepath.Join(t.TempDir(), "state"),
		Machine: setting.Machine{Backend: "cpu"}, Watch: p.watch, Execute: p.execute, Steps: 20, Budget: time.Hour,
	}
}

func tuned(t *testing.T, o Options) Result {
	t.Helper()
	r, err := Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func line(t *testing.T, r Result, name string) Line {
	t.Helper()
	for _, l := range r.Lines {
		if l.Name == name {
			return l
		}
	}
	t.Fatalf("there is no line of %s: %+v", name, r.Lines)
	return Line{}
}

func text(t *testing.T, r Result) string {
	t.Helper()
	data, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestBlame(t *testing.T) {
	tests := []struct {
		name string
		set  string
		bad  func(on string) bool
		want string
	}{
		{"one", "abcdefg", func(on string) bool { return strings.Contains(on, "e") }, "e"},
		{"the first", "abcdefg", func(on string) bool { return strings.Contains(on, "a") }, "a"},
		{"the last", "abcdefg", func(on string) bool { return strings.Contains(on, "g") }, "g"},
		{"the only one", "a", func(on string) bool { return on == "a" }, "a"},
		{"two", "abcdefg", func(on string) bool { return strings.ContainsAny(on, "bf") }, "bf"},
		{"two together", "abcdefg", func(on string) bool { return strings.Contains(on, "b") && strings.Contains(on, "f") }, "f"},
		{"all", "abc", func(on string) bool { return on != "" }, "abc"},
		{"nobody, when it works with all", "abcdefg", func(on string) bool { return false }, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			trials := 0
			found, err := blame(choices(0, strings.Split(tt.set, "")...), func(some []setting.Choice) (bool, error) {
				trials++
				return !tt.bad(strings.Join(names(some), "")), nil
			})
			if got := strings.Join(found, ""); got != tt.want || err != nil {
				t.Errorf("found %q, %v; want %q", got, err, tt.want)
			}
			if trials > len(tt.want)*(3+1)+1 {
				t.Errorf("%d trials for %d of %d settings are more than halving takes", trials, len(tt.want), len(tt.set))
			}
		})
	}
	stop := errors.New("enough")
	if _, err := blame(choices(0, "a", "b", "c"), func([]setting.Choice) (bool, error) { return false, stop }); !errors.Is(err, stop) {
		t.Errorf("error %v, want the one that ended the search", err)
	}
}

func truth(v bool) *bool { return &v }

// TestLines is the negative control: a setting that did not take effect must not be shown as one that did.
func TestLines(t *testing.T) {
	applied := func(name string, in *bool, read any) setting.Observation {
		return setting.Observation{Setting: name, When: "applied", Read: read, InEffect: in}
	}
	end := func(name string, in *bool, read any) setting.Observation {
		return setting.Observation{Setting: name, When: "exit", Read: read, InEffect: in}
	}
	idle := end("idle", truth(true), true)
	idle.Acts, idle.Effect = truth(false), "no kernel changed"
	preloaded, elsewhere := end("preloaded", nil, nil), end("elsewhere", nil, nil)
	preloaded.Acts, preloaded.Effect = truth(true), "malloc is from libjemalloc.so.2"
	elsewhere.Acts, elsewhere.Effect = truth(false), "libjemalloc is not loaded"
	theirs := end("theirs", truth(true), "1 by the program itself")
	theirs.Theirs = true
	broken := applied("broken", truth(false), nil)
	broken.Error = "AttributeError: no such knob"
	p := &program{reports: func([]string) []setting.Observation {
		return []setting.Observation{
			applied("good", truth(true), true), end("good", truth(true), true),
			applied("dead", truth(false), 1), end("dead", truth(false), 1),
			applied("taken", truth(true), true), end("taken", truth(false), false),
			applied("blind", nil, nil), end("blind", nil, nil),
			applied("idle", truth(true), true), idle,
			applied("preloaded", nil, nil), preloaded, applied("elsewhere", nil, nil), elsewhere,
			applied("killed", truth(true), 4.0), // the program was killed before its end
			broken, applied("theirs", nil, "0 models compiled"), theirs,
			{Dead: "torch.backends.cudnn.workspace_limit", Value: 1 << 30, Instead: "use CUDNN_CONV_WSCAP_DBG"},
			{Dead: "torch.backends.cudnn.workspace_limit", Value: 1 << 30, Instead: "use CUDNN_CONV_WSCAP_DBG"},
		}
	}}
	o := simulated(t, p)
	o.Selection.Use = choices(0, "good", "dead", "taken", "blind", "idle", "preloaded", "elsewhere", "killed", "broken", "absent", "theirs")
	r := tuned(t, o)
	want := map[string]State{
		"preloaded": InEffect, "elsewhere": NotInEffect,
		"good": InEffect, "dead": NotInEffect, "taken": Overwritten, "blind": unreadable,
		"idle": NotInEffect, "killed": InEffect, "broken": Failed, "absent": NotReached, "theirs": ByProgram,
	}
	for name, state := range want {
		if l := line(t, r, name); l.State != state || !l.Used || (state != InEffect && state != unreadable) != (l.Problem != "") {
			t.Errorf("%s: %q (%s), used %v; want %q", name, l.State, l.Problem, l.Used, state)
		}
	}
	if len(r.Dead) != 1 || r.Dead[0].Value != "1073741824" {
		t.Errorf("dead knobs %+v, want the one, once", r.Dead)
	}
	if !r.Ran || r.Exit != 0 || r.Steps != 100 || r.StepTime < 0.099 || r.StepTime > 0.101 {
		t.Errorf("ran %v, exit %d, %d steps of %g s", r.Ran, r.Exit, r.Steps, r.StepTime)
	}
}

// A program that does not import a library was not run with settings for it, whatever its environment held; its time
// per step is what profile and report make of the same run.
func TestWhatTheRunTells(t *testing.T) {
	o := simulated(t, &program{imports: map[string]string{"torch": "2.9.0", "numpy": "2.0"}, hiccup: true})
	o.Selection.Use = choices(0, "a", "cache")
	o.Selection.Use[0].Library, o.Selection.Use[1].Library = "torch", "jax"
	r := tuned(t, o)
	if l := line(t, r, "cache"); l.Used || l.Unmeasured != "the program does not use jax" || l.State != NotLooked || !slices.Equal(names(r.Use), []string{"a"}) {
		t.Errorf("%+v, and used are %v", l, names(r.Use))
	}
	if r.StepTime != 0.1 || r.Steady != 100 {
		t.Errorf("a step takes %g s, of %d; want the median, 0.1 s of 100", r.StepTime, r.Steady)
	}
}

func TestCrashWithASetting(t *testing.T) {
	p := &program{crashes: []string{"bad"}}
	o := simulated(t, p)
	o.Selection.Use = choices(0, "a", "b", "bad", "c")
	r := tuned(t, o)
	if last := p.ran[len(p.ran)-1]; !slices.Equal(last, []string{"a", "b", "c"}) || r.Exit != 0 || r.Steps != 100 {
		t.Errorf("it ran with %v to exit %d after %d steps; want a, b, c and a whole run", last, r.Exit, r.Steps)
	}
	if l := line(t, r, "bad"); l.Used || l.Dropped == "" {
		t.Errorf("the failing setting: %+v", l)
	}
	if got := strings.Join(r.Fallback, "; "); !strings.Contains(got, "crashes with bad") {
		t.Errorf("the fallback is not told: %q", got)
	}
}

func TestCrashesByThemselves(t *testing.T) {
	tests := []struct {
		name  string
		p     program
		exit  int
		runs  int
		notes string
	}{
		{"its own fault", program{whole: 5, own: 7}, 7, 2, "also fails without settings"},
		{"too late to try again", program{whole: 500, own: 7}, 7, 1, "too late to retry without settings"},
		{"never iterates", program{whole: -1}, 0, 1, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := tt.p
			o := simulated(t, &p)
			o.Selection.Use = choices(0, "a", "b")
			if p.whole < 0 {
				p.whole = 0
			}
			r := tuned(t, o)
			if r.Exit != tt.exit || len(p.ran) != tt.runs || !strings.Contains(strings.Join(r.Notes, "; "), tt.notes) {
				t.Errorf("exit %d in %d runs, notes %q; want %d, %d, %q", r.Exit, len(p.ran), r.Notes, tt.exit, tt.runs, tt.notes)
			}
		})
	}
}

// TestCrashThatDoesNotComeBack is put down to nobody: the program fails by itself, later than its steps tell.
func TestCrashThatDoesNotComeBack(t *testing.T) {
	p := &program{whole: 100}
	o := simulated(t, p)
	o.Selection.Use = choices(0, "a", "b")
	o.Watch = func(ctx context.Context, a Attempt) (probe.Outcome, error) {
		out, err := p.watch(ctx, a)
		if a.Steps == 0 {
			out.Exit, out.Run.Steps = 137, out.Run.Steps[:1] // killed, with most of what it had to tell
		}
		return out, err
	}
	r := tuned(t, o)
	if r.Exit != 137 || len(r.Fallback) > 0 || len(p.ran) != 4 { // it, without settings, all again, it
		t.Errorf("exit %d after %d runs, fallback %q; want nobody blamed", r.Exit, len(p.ran), r.Fallback)
	}
	if !strings.Contains(strings.Join(r.Notes, "; "), "no setting is blamed") {
		t.Errorf("notes %q", r.Notes)
	}
}

func TestVariablesThatNothingReads(t *testing.T) {
	p := &program{}
	o := simulated(t, p)
	o.Machine.Variables = map[string]string{"CUDNN_BENCHMARK": "1"}
	for _, r := range []Result{tuned(t, o), Planned(o)} {
		if got := strings.Join(r.Notes, "; "); !strings.Contains(got, "`CUDNN_BENCHMARK` = 1, which has no effect: nothing reads it") {
			t.Errorf("notes %q", got)
		}
	}
}

// TestCrashWithoutSteps: what makes no steps cannot be cut short, so it has run when it has been tried.
func TestCrashWithoutSteps(t *testing.T) {
	for _, slow := range []bool{false, true} {
		p := &program{crashes: []string{"bad"}, whole: -1}
		o := simulated(t, p)
		p.whole = 0
		if slow {
			o.Watch = func(ctx context.Context, a Attempt) (probe.Outcome, error) {
				out, err := p.watch(ctx, a)
				out.Run.WallSeconds = 120
				return out, err
			}
		}
		o.Selection.Use = choices(0, "a", "bad")
		r := tuned(t, o)
		said := strings.Join(r.Fallback, "; ")
		if r.Exit != 0 || len(r.Use) != 0 || slow != (len(p.ran) == 2) || slow == strings.Contains(said, "crashes with bad") {
			t.Errorf("slow %v: exit %d, %d runs, %q", slow, r.Exit, len(p.ran), said)
		}
	}
}
