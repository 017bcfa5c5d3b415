package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// settings as a program would list them
func testSettings() []Setting {
	return append([]Setting{
		{Key: "format", Default: "text", Check: OneOf("text", "json")},
		{Key: "runs", Default: "runs"},
		{Key: "mel.buffers", Default: "3"},
	}, Platform()...)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestNearestPlaceWins(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "saturate.toml"), "runs = \"from-file\"\n[mel]\nbuffers = 7\n")
	envFile := filepath.Join(dir, "my.env")
	write(t, envFile, "# comment\nexport SATURATE_RUNS='from env file' # why\n\nGPU_BACKEND=mps\n")
	sub := filepath.Join(dir, "a", "b")
	if err := os.MkdirAll(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	flag := map[string]string{"runs": "typed"}
	variable := []string{"SATURATE_RUNS=from-variable"}

	tests := []struct {
		name    string
		from    Sources
		key     string
		want    string
		origins string
	}{
		{"flag", Sources{Flags: flag, Environ: variable, EnvFile: envFile, Dir: sub}, "runs", "typed", "--runs"},
		{"variable", Sources{Environ: variable, EnvFile: envFile, Dir: sub}, "runs", "from-variable", "SATURATE_RUNS"},
		{"env file", Sources{EnvFile: envFile, Dir: sub}, "runs", "from env file", "my.env:2"},
		{"file of a parent folder", Sources{Dir: sub}, "runs", "from-file", "saturate.toml:1"},
		{"table", Sources{Dir: sub}, "mel.buffers", "7", "saturate.toml:3"},
		{"default", Sources{Dir: t.TempDir()}, "runs", "runs", "default"},
		{"an empty variable does not count", Sources{Environ: []string{"SATURATE_RUNS="}}, "runs", "runs", "default"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, err := Load(testSettings(), tt.from)
			if err != nil {
				t.Fatal(err)
			}
			got := c.Get(tt.key)
			if got.Value != tt.want || !strings.HasSuffix(got.Origin, tt.origins) {
				t.Errorf("%s = %q from %s, want %q from %s", tt.key, got.Value, got.Origin, tt.want, tt.origins)
			}
		})
	}
}

func TestPyproject(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "pyproject.toml"), "[project]\nname = \"x\"\n\n[tool.saturate]\nruns = \"elsewhere\"\n\n[tool.saturate.mel]\nbuffers = 5\n")
	sub := filepath.Join(dir, "pkg")
	write(t, filepath.Join(sub, "pyproject.toml"), "[project]\nname = \"y\"\n") // says nothing of us: look further up
	c, err := Load(testSettings(), Sources{Dir: sub})
	if err != nil {
		t.Fatal(err)
	}
	if v := c.Get("mel.buffers"); v.Value != "5" || !strings.HasSuffix(v.Origin, "pyproject.toml:8") {
		t.Errorf("mel.buffers = %+v", v)
	}
	write(t, filepath.Join(sub, "saturate.toml"), "")
	if c, err = Load(testSettings(), Sources{Dir: sub}); err != nil {
		t.Fatal(err)
	}
	if v := c.Get("runs"); v.Origin != "default" {
		t.Errorf("an empty saturate.toml still is the nearest file, but runs = %+v", v)
	}
}

func TestPlatformVariables(t *testing.T) {
	tests := []struct {
		name    string
		environ []string
		key     string
		want    string
		warning string
	}{
		{"backend", []string{"GPU_BACKEND=ROCM"}, "gpu_backend", "rocm", ""},
		{"ours beats the common name", []string{"GPU_BACKEND=rocm", "SATURATE_GPU_BACKEND=mps"}, "gpu_backend", "mps", ""},
		{"USE_CUDA alone", []string{"USE_CUDA=1"}, "gpu_backend", "cuda", ""},
		{"USE_CUDA=false", []string{"USE_CUDA=false"}, "gpu_backend", "cpu", ""},
		{"USE_CUDA is not heard beside GPU_BACKEND", []string{"USE_CUDA=1", "GPU_BACKEND=cpu"}, "gpu_backend", "cpu", ""},
		{"level", []string{"OPTIMIZATION_LEVEL=2"}, "optimization_level", "2", ""},
		{"level too high", []string{"OPTIMIZATION_LEVEL=9"}, "optimization_level", "2", "outside 0 to 2"},
		{"level too low", []string{"OPTIMIZATION_LEVEL=-1"}, "optimization_level", "0", "outside 0 to 2"},
		{"level no number", []string{"OPTIMIZATION_LEVEL=high"}, "optimization_level", "1", "not a whole number"},
		{"USE_CUDA that says nothing", []string{"USE_CUDA=maybe"}, "gpu_backend", "auto", `USE_CUDA is "maybe", which is neither yes nor no; ignored`},
		{"a name that only begins like ours", []string{"SATURATE_FARMER=x"}, "format", "text", ""},
		{"misspelt variable", []string{"SATURATE_FROMAT=json"}, "format", "text", "did you mean SATURATE_FORMAT?"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, err := Load(testSettings(), Sources{Environ: tt.environ})
			if err != nil {
				t.Fatal(err)
			}
			if got := c.Get(tt.key).Value; got != tt.want {
				t.Errorf("%s = %q, want %q", tt.key, got, tt.want)
			}
			warnings := strings.Join(c.Warnings, "\n")
			if (tt.warning == "") != (warnings == "") || !strings.Contains(warnings, tt.warning) {
				t.Errorf("warnings %q, want %q", warnings, tt.warning)
			}
		})
	}
}

func TestContradictions(t *testing.T) {
	envFile := filepath.Join(t.TempDir(), "my.env")
	write(t, envFile, "GPU_BACKEND=cuda\nUSE_CUDA=0\n")
	for _, tt := range []struct {
		name string
		from Sources
		want string
	}{
		{"cpu and CUDA", Sources{Environ: []string{"USE_CUDA=1", "GPU_BACKEND=cpu"}}, "GPU_BACKEND=cpu and USE_CUDA=1 contradict"},
		{"cuda without CUDA", Sources{Environ: []string{"USE_CUDA=no", "GPU_BACKEND=CUDA"}}, "GPU_BACKEND=CUDA and USE_CUDA=no contradict"},
		{"rocm is CUDA to torch", Sources{Environ: []string{"USE_CUDA=1", "GPU_BACKEND=rocm"}}, ""},
		{"auto agrees with all", Sources{Environ: []string{"USE_CUDA=1", "GPU_BACKEND=auto"}}, ""},
		{"in the file", Sources{EnvFile: envFile}, "GPU_BACKEND=cuda and USE_CUDA=0 contradict"},
		{"the environment settles it", Sources{EnvFile: envFile, Environ: []string{"GPU_BACKEND=cpu"}}, ""},
	} {
		c, err := Load(testSettings(), tt.from)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(c.Contradiction); (tt.want == "") != (c.Contradiction == nil) || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, c.Contradiction, tt.want)
		}
	}
}

func TestMistakesAreNamed(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "saturate.toml")
	tests := []struct {
		name, toml string
		from       Sources
		want       string
	}{
		{"unknown key", "formt = \"json\"\n", Sources{Dir: dir}, `saturate.toml:1: unknown setting "formt"; did you mean "format"?`},
		{"unknown key in a table", "\n[mel]\nbufers = 3\n", Sources{Dir: dir}, `saturate.toml:3: unknown setting "mel.bufers"; did you mean "mel.buffers"?`},
		{"nothing like it", "xyzzy = 1\n", Sources{Dir: dir}, "`saturate config` lists all settings"},
		{"bad value", "format = \"jsn\"\n", Sources{Dir: dir}, `saturate.toml:1: format is "jsn": use one of text, json; did you mean "json"?`},
		{"syntax", "runs = \n", Sources{Dir: dir}, "saturate.toml:1:"},
		{"backend", "", Sources{Environ: []string{"GPU_BACKEND=cudda"}}, `GPU_BACKEND: gpu_backend is "cudda": use one of auto, cuda, rocm, mps, cpu; did you mean "cuda"?`},
		{"no env file", "", Sources{EnvFile: filepath.Join(dir, "none.env")}, "none.env: no such file"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			write(t, file, tt.toml)
			_, err := Load(testSettings(), tt.from)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
	for _, line := range []string{"no equals sign", "= value", "A='open"} {
		envFile := filepath.Join(dir, "bad.env")
		write(t, envFile, "OK=1\n"+line+"\n")
		if _, err := Load(testSettings(), Sources{EnvFile: envFile}); err == nil || !strings.Contains(err.Error(), "bad.env:2") {
			t.Errorf("%q: error %v does not name line 2", line, err)
		}
	}
}

func TestNearest(t *testing.T) {
	words := []string{"scan", "analyze", "compare", "report", "doctor"}
	for typed, want := range map[string]string{
		"analyse": "analyze", "doctr": "doctor", "sacn": "scan", "rep": "report", "xyz": "", "": "", "q": "",
	} {
		if got := Nearest(typed, words); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", typed, got, want)
		}
	}
}

func FuzzReadFile(f *testing.F) {
	f.Add([]byte("runs = \"x\"\n[mel]\nbuffers = 3\n"), "")
	f.Add([]byte("[tool.saturate]\na.b = [1, 2]\n"), "tool.saturate")
	f.Fuzz(func(t *testing.T, data []byte, table string) {
		_, _, _ = readFile("saturate.toml", data, table)
	})
}
