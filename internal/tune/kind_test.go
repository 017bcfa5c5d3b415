package tune

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"saturate/internal/tune/setting"
)

func TestProfiles(t *testing.T) {
	here := setting.Machine{Backend: "cuda", OS: "linux", Arch: "x86_64", GPU: "NVIDIA H200", Cores: 16, Torch: "2.11.0", CPU: "Xeon"}
	path := filepath.Join(t.TempDir(), "profile.json")
	use := choices(0, "a")
	gone := choice("preload", 0, setting.Same)
	gone.Ways[0].Env[0] = setting.Variable{Name: "LD_PRELOAD", Value: "/nowhere/libjemalloc.so"}
	if err := Export(path, Result{Machine: here, Level: 2, Use: append(use, gone)}); err != nil {
		t.Fatal(err)
	}
	patched := here
	patched.Torch = "2.11.1"
	p, err := Load(path, patched, false)
	if err != nil {
		t.Fatal(err)
	}
	s := p.Selection()
	if diff := cmp.Diff(names(s.Use), []string{"a"}); diff != "" || len(s.Left) != 1 || !strings.Contains(s.Left[0].Reason, "/nowhere") {
		t.Errorf("%s; left %+v", diff, s.Left)
	}
	other := here
	other.GPU, other.Torch = "NVIDIA A100", "2.12.0"
	if _, err := Load(path, other, false); err == nil || !strings.Contains(err.Error(), "GPU NVIDIA H200, here NVIDIA A100; torch 2.11, here 2.12") {
		t.Errorf("error %v does not say what differs", err)
	}
	if _, err := Load(path, other, true); err != nil {
		t.Errorf("forced: %v", err)
	}
	for name, text := range map[string]string{"empty": "", "other": `{"schema":"x"}`, "no way": `{"schema":"` + profileSchema + `","settings":[{"name":"a"}]}`} {
		bad := filepath.Join(t.TempDir(), "bad.json")
		if err := os.WriteFile(bad, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(bad, here, true); err == nil || !strings.Contains(err.Error(), "bad.json") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestReadSettings(t *testing.T) {
	for text, want := range map[string]string{
		`[{"ways":[{}]}]`:                      "has no name",
		`[{"name":"a"}]`:                       "no way to set it",
		`[{"name":"a","ways":[{}],"level":3}]`: "level 3",
		`{}`:                                   "not a list of settings",
		`[{"name":"a","ways":[{}],"level":2}]`: "sets nothing",
		`[{"name":"threads","ways":[{"hook":"x"}]}]`:                                        "the setting threads already exists",
		`[{"name":"a","ways":[{"hook":"x"}]},{"name":"a","ways":[{"hook":"x"}]}]`:           "the setting a already exists",
		`[{"name":"a","ways":[{"env":[{"name":"A=B","value":"1"}]}]}]`:                      "an invalid variable",
		`[{"name":"a","ways":[{"env":[{"name":"A","value":"\u0000"}]}]}]`:                   "an invalid variable",
		`[{"name":"a","ways":[{"knobs":[{"set":"torch.x","value":1}]}]}]`:                   "its library must be torch",
		`[{"name":"a","library":"torch","ways":[{"knobs":[{"set":"torch.x","value":1}]}]}]`: "",
		`[{"name":"a","ways":[{"env":[{"name":"A","value":"1"}]}],"level":2}]`:              "",
	} {
		path := filepath.Join(t.TempDir(), "own.json")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		own, err := ReadSettings(path)
		if got := fmt.Sprint(err); want == "" && (err != nil || own[0].Numerics != setting.Changed) || !strings.Contains(got, want) {
			t.Errorf("%s: %v, %+v; want %q", text, err, own, want)
		}
	}
}

// FuzzOwnSettings: whatever a user writes is refused or can be set, printed and shown.
func FuzzOwnSettings(f *testing.F) {
	f.Add([]byte(`[{"name":"a","level":2,"ways":[{"env":[{"name":"A","value":"1","join":":"}],"knobs":[{"set":"torch.f()","value":[1,null,{"x":2}]}]}]}]`))
	f.Add([]byte(`[{"name":"a","ways":[{"hook":"compile","value":3,"hand":"x"}]}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		own, err := parseSettings("own.json", data)
		if err != nil {
			return
		}
		s := Select(setting.Machine{Backend: "cpu"}, nil, setting.Measured, []string{"none"}, nil, own)
		all := slices.Concat(s.Use, s.Candidates)
		if len(all) != len(own) {
			t.Errorf("%d settings of %d were taken", len(all), len(own))
		}
		_ = setting.Snippet(all, []string{"A=2"})
		if _, err := setting.Plan(all, ""); err != nil {
			t.Error(err)
		}
		for _, c := range all {
			l := lineOf(c)
			l.observe(nil)
		}
	})
}

// TestLaunchersShareTheCores: each of several processes with a thread for every core would be slower than one.
func TestLaunchersShareTheCores(t *testing.T) {
	m := setting.Machine{Backend: "cpu", OS: "linux", Arch: "x86_64", Torch: "2.11.0", Cores: 4, Threads: 4}
	for _, tt := range []struct {
		command []string
		only    []string
		want    bool
	}{
		{[]string{"python", "train.py"}, nil, true},
		{[]string{"/env/bin/torchrun", "--nproc-per-node", "2", "train.py"}, nil, false},
		{[]string{"python", "-m", "torch.distributed.run", "train.py"}, nil, false},
		{[]string{"python", "train.py", "accelerate"}, nil, true},
		{[]string{"torchrun", "train.py"}, []string{"threads"}, true},
	} {
		s := Select(m, tt.command, setting.Hardware, tt.only, nil, nil)
		if got := slices.Contains(names(s.Use), "threads"); got != tt.want {
			t.Errorf("%v, only %v: threads %v, want %v; left %+v", tt.command, tt.only, got, tt.want, s.Left)
		}
	}
}

func TestInterpreter(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "torchrun")
	if err := os.WriteFile(script, []byte("#!/opt/env/bin/python3.12 -u\nprint()\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		command []string
		want    string
	}{
		{[]string{"/usr/bin/python3.11", "train.py"}, "/usr/bin/python3.11"},
		{[]string{"env/bin/python", "train.py"}, filepath.Join(dir, "env/bin/python")},
		{[]string{"env", "A=1", "/x/python", "train.py"}, "/x/python"},
		{[]string{script, "train.py"}, "/opt/env/bin/python3.12"},
	} {
		if got := Interpreter(tt.command, dir); got != tt.want {
			t.Errorf("%v: %s, want %s", tt.command, got, tt.want)
		}
	}
}
