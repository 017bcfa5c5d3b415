package probe_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"saturate/internal/probe"
	"saturate/internal/process"
	"saturate/internal/run"
)

// forkedEnv is the same for all programs of a folder: a server forks those of one environment.
func forkedEnv(dir string) []string {
	return []string{"PYTHONPATH=" + filepath.Join(dir, "lib"), "TORCHINDUCTOR_CACHE_DIR=" + dir}
}

// forkedRun runs a command in a folder, confined, and returns what it printed.
func forkedRun(t *testing.T, forks *probe.Forks, dir string, command ...string) (out probe.Outcome, stdout, stderr string) {
	t.Helper()
	var said, complained bytes.Buffer
	seed := int64(1)
	out, err := probe.Watch(context.Background(), probe.Plan{
		Command: command, Dir: dir, Env: forkedEnv(dir),
		Stdin: strings.NewReader("typed"), Stdout: &said, Stderr: &complained,
		Seed: &seed, Confine: &process.Confinement{Own: []string{dir}}, Forks: forks,
	})
	if err != nil {
		t.Fatal(err)
	}
	return out, said.String(), complained.String()
}

// One server, which imports torch once, forks the programs of both parts.
func TestForked(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts many processes that import torch")
	}
	dir := t.TempDir()
	var forks probe.Forks
	defer forks.Close()
	t.Run("same", func(t *testing.T) { forkedIsSame(t, &forks, dir) })
	t.Run("confined and ended", func(t *testing.T) { forkedIsConfinedAndEnded(t, &forks, dir) })
	t.Run("packages apart", func(t *testing.T) { forkedFindsPackagesApart(t, dir) })
	t.Run("without compiling", func(t *testing.T) { forkedCompilesNothing(t, &forks, dir) })
	t.Run("scattered", func(t *testing.T) { forkedIsScattered(t, &forks, dir) })
}

// What a program allocates lies elsewhere in each run, as in fresh processes, both small and large.
func forkedIsScattered(t *testing.T, forks *probe.Forks, dir string) {
	const program = `import torch
weight = torch.nn.Parameter(torch.ones(2))
optimizer = torch.optim.SGD([weight], lr=0.1)
for _ in range(3):
    weight.sum().backward()
    optimizer.step()
print(torch.empty(3000).data_ptr(), torch.empty(1 << 22).data_ptr())
`
	if err := os.WriteFile(filepath.Join(dir, "lies.py"), []byte(program), 0o644); err != nil {
		t.Fatal(err)
	}
	before, _ := forks.Count()
	small, large := map[string]bool{}, map[string]bool{}
	for range 4 {
		_, out, _ := forkedRun(t, forks, dir, python(t), "lies.py")
		at := strings.Fields(out)
		if len(at) != 2 {
			t.Fatalf("it printed %q", out)
		}
		small[at[0]], large[at[1]] = true, true
	}
	if n, why := forks.Count(); n-before < 3 {
		t.Fatalf("%d of 4 runs were forked: %s", n-before, why)
	}
	if len(small) < 3 || len(large) < 3 {
		t.Errorf("small blocks are at %v, large ones at %v", small, large)
	}
}

// A library that looks for another one while it is imported finds it in a folder of pip install --target too.
func forkedFindsPackagesApart(t *testing.T, dir string) {
	const program = `import os, sys, mpmath, torch
weight = torch.nn.Parameter(torch.ones(2))
optimizer = torch.optim.SGD([weight], lr=0.1)
for _ in range(3):
    weight.sum().backward()
    optimizer.step()
print("gmpy2" in sys.modules)
`
	apart := filepath.Join(t.TempDir(), "apart")
	for name, text := range map[string]string{
		filepath.Join(dir, "looks.py"):                          program,
		filepath.Join(apart, "gmpy2.py"):                        "def version():\n    return '1.00'  # too old for mpmath\n",
		filepath.Join(apart, "gmpy2-1.0.dist-info", "METADATA"): "Name: gmpy2\n",
	} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	var forks probe.Forks
	defer forks.Close()
	for range 2 { // the first run is not forked
		var out bytes.Buffer
		if _, err := probe.Watch(context.Background(), probe.Plan{
			Command: []string{python(t), "looks.py"}, Dir: dir, Env: []string{"PYTHONPATH=" + apart}, Stdout: &out,
			Confine: &process.Confinement{Own: []string{dir}}, Forks: &forks,
		}); err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSpace(out.String()); got != "True" {
			t.Errorf("mpmath found gmpy2: %s", got)
		}
	}
	if n, why := forks.Count(); n != 1 {
		t.Errorf("%d of 2 runs were forked: %s", n, why)
	}
}

// A program that shall not compile is forked from the same server as one that may.
func forkedCompilesNothing(t *testing.T, forks *probe.Forks, dir string) {
	const program = `import os, torch, torch._dynamo
compiled = []
torch.compile(lambda x: 2 * x, backend=lambda graph, _: compiled.append(graph) or graph.forward)(torch.ones(2))
weight = torch.nn.Parameter(torch.ones(2))
optimizer = torch.optim.SGD([weight], lr=0.1)
for _ in range(3):
    weight.sum().backward()
    optimizer.step()
print(os.getppid(), len(compiled))
`
	if err := os.WriteFile(filepath.Join(dir, "compiles.py"), []byte(program), 0o644); err != nil {
		t.Fatal(err)
	}
	seed := int64(1)
	said := func(without bool) (server, compiled string) {
		var out bytes.Buffer
		_, err := probe.Watch(t.Context(), probe.Plan{
			Command: []string{python(t), "compiles.py"}, Dir: dir, Env: forkedEnv(dir), Stdout: &out, Seed: &seed,
			Confine: &process.Confinement{Own: []string{dir}}, Forks: forks, NoCompile: without,
		})
		if err != nil {
			t.Fatal(err)
		}
		server, compiled, _ = strings.Cut(strings.TrimSpace(out.String()), " ")
		return server, compiled
	}
	said(false) // the server learns of torch._dynamo
	a, may := said(false)
	b, not := said(true)
	if c, _ := said(false); a != b || b != c || a == strconv.Itoa(os.Getpid()) {
		t.Errorf("servers %s, %s and %s forked programs that differ in compiling alone", a, b, c)
	}
	if may != "1" || not != "0" {
		t.Errorf("%s functions were compiled where that is allowed, %s where not", may, not)
	}
}

// A program sees no difference between a fresh process and one that was forked from a process with its libraries
// imported.
func forkedIsSame(t *testing.T, forks *probe.Forks, dir string) {
	source, err := os.ReadFile("testdata/programs/same.py")
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string, data []byte) {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, data, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	write("same.py", source)
	write("lib/part.py", nil)
	write("package/__init__.py", nil)
	write("package/same.py", source)
	interpreter := python(t)
	forkedRun(t, forks, dir, interpreter, "same.py", "learn")
	if n, _ := forks.Count(); n != 0 {
		t.Fatal("the first run was forked, and nothing was learnt before it")
	}
	ahead := forks.Ahead()
	defer ahead.Close()
	t.Run("seen", func(t *testing.T) {
		ways := [][]string{{"-m", "package.same", "x"}, {"./same.py", "--lr", "0.1"}, {"same.py"}}
		if os.Getenv("SATURATE_ACCEPT") == "" {
			ways = ways[:1] // each starts many processes that import torch
		}
		for _, args := range ways {
			command := append([]string{interpreter}, args...)
			fresh, want, wantErr := forkedRun(t, nil, dir, command...)
			for _, way := range []*probe.Forks{forks, ahead} {
				before, _ := way.Count()
				out, got, gotErr := forkedRun(t, way, dir, command...)
				if n, why := way.Count(); n == before && (way == forks || n == 0) {
					t.Fatalf("%s was not forked: %s", args, why)
				}
				var a, b map[string]any
				if json.Unmarshal([]byte(want), &a) != nil || json.Unmarshal([]byte(got), &b) != nil {
					t.Fatalf("%s\nfresh: %s%s\nforked: %s%s", args, want, wantErr, got, gotErr)
				}
				for _, key := range slices.Sorted(maps.Keys(a)) {
					if diff := cmp.Diff(a[key], b[key]); diff != "" {
						t.Errorf("%s: %s: - fresh, + forked\n%s", args, key, diff)
					}
				}
				if fresh.Exit != out.Exit || len(fresh.Run.Steps) != len(out.Run.Steps) || fresh.Facts.Parameters != out.Facts.Parameters || wantErr != gotErr {
					t.Errorf("%s\nfresh:  exit %d, %d steps %s\nforked: exit %d, %d steps %s", args, fresh.Exit, len(fresh.Run.Steps), wantErr, out.Exit, len(out.Run.Steps), gotErr)
				}
			}
		}
	})
	for _, c := range []struct {
		args []string
		exit int
		says string
	}{
		{[]string{"same.py", "exit"}, 7, "complains\n"},
		{[]string{"same.py", "message"}, 1, "complains\nsays why\n"},
		{[]string{"same.py", "crash"}, 1, ", in <module>\n    raise ValueError(\"planted\")\nValueError: planted\n"},
		{[]string{"-m", "package.same", "crash"}, 1, "ValueError: planted\n"},
		{[]string{"same.py", "abort"}, 128 + 6, "complains\n"},
		{[]string{"same.py", "interrupt"}, 128 + 2, "KeyboardInterrupt\n"},
		{[]string{"missing.py"}, 2, "No such file or directory\n"},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			before, _ := forks.Count()
			out, _, said := forkedRun(t, forks, dir, append([]string{interpreter}, c.args...)...)
			if n, why := forks.Count(); n != before+1 {
				t.Fatalf("it was not forked: %s", why)
			}
			if out.Exit != c.exit || !strings.HasSuffix(said, c.says) || strings.Contains(said, "forks.py") {
				t.Errorf("exit %d, %q; want %d, %q", out.Exit, said, c.exit, c.says)
			}
		})
	}
}

// What confines a program that is started confines one that is forked, and what ends the one ends the other.
func forkedIsConfinedAndEnded(t *testing.T, forks *probe.Forks, dir string) {
	theirs, err := os.MkdirTemp("testdata", "theirs-") // not among temporary files, which Landlock lets it write
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(theirs)
	theirs, _ = filepath.Abs(theirs)
	elsewhere := filepath.Join(theirs, "theirs.txt")
	const source = `import os, sys, time, torch
model = torch.nn.Linear(2, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
def step():
    optimizer.zero_grad()
    model(torch.ones(1, 2)).sum().backward()
    optimizer.step()
for _ in range(6):
    step()
if len(sys.argv) > 1:
    try:
        print(open(sys.argv[1]).read(), open(sys.argv[1], "w").write("overwritten"), open(sys.argv[1]).read())
    except PermissionError:
        print("refused")
    open("own.txt", "w").write("written")
if len(sys.argv) > 2:
    os.fork()  # and nobody waits for the child
    while True:
        time.sleep(0.1)
        step()
`
	if err := os.WriteFile(filepath.Join(dir, "train.py"), []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(elsewhere, []byte("theirs"), 0o644); err != nil {
		t.Fatal(err)
	}
	interpreter := python(t)
	before, _ := forks.Count()
	out, said, complained := forkedRun(t, forks, dir, interpreter, "train.py", elsewhere)
	if n, why := forks.Count(); n != before+1 || out.Exit != 0 {
		t.Fatalf("%d forked, exit %d %s%s", n-before, out.Exit, complained, why)
	}
	after, _ := os.ReadFile(elsewhere)
	own, _ := os.ReadFile(filepath.Join(dir, "own.txt"))
	t.Logf("%s: it saw %s", process.How(), strings.TrimSpace(said))
	if process.How() != process.Open && string(after) != "theirs" || string(own) != "written" {
		t.Errorf("outside: %q, its own: %q", after, own)
	}
	if process.How() == process.Overlay && !slices.Equal(out.Outside, []string{elsewhere}) {
		t.Errorf("outside files: %v", out.Outside)
	}
	if out, err := probe.Watch(context.Background(), probe.Plan{
		Command: []string{interpreter, "train.py", elsewhere, "on"}, Dir: dir, Env: forkedEnv(dir), Steps: 20, Timeout: time.Minute,
		Confine: &process.Confinement{Own: []string{dir}}, Forks: forks,
	}); err != nil || !out.Stopped && !out.TimedOut {
		t.Errorf("it was not stopped after its steps: %+v %v", out.Exit, err)
	}
	if n, _ := forks.Count(); n != before+2 {
		t.Errorf("%d forked", n-before)
	}
	stopped, cancel := context.WithCancel(context.Background())
	defer cancel()
	seen := 0
	if out, err := probe.Watch(stopped, probe.Plan{
		Command: []string{interpreter, "train.py", elsewhere, "on"}, Dir: dir, Env: forkedEnv(dir),
		Confine: &process.Confinement{Own: []string{dir}}, Forks: forks,
		OnStep: func(run.Step) {
			if seen++; seen == 12 { // it has forked by then
				cancel()
			}
		},
	}); err != nil || out.Exit != 128+int(process.SIGINT) {
		t.Errorf("interrupted: exit %d %v", out.Exit, err)
	}
	deadline := time.Now().Add(20 * time.Second)
	for running(t, dir) > 0 && time.Now().Before(deadline) {
		time.Sleep(50 * time.Millisecond)
	}
	if n := running(t, dir); n > 0 {
		t.Errorf("%d processes are left", n)
	}
}

// running counts the processes that have a folder as theirs.
func running(t *testing.T, dir string) (n int) {
	t.Helper()
	list, err := filepath.Glob("/proc/[0-9]*/cwd")
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range list {
		if at, err := os.Readlink(link); err == nil && at == dir {
			n++
		}
	}
	return n
}

// What programs turn out to import later is tried in a child: an import that starts threads costs no server.
func TestLateImportsAreTried(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"fine": "", "ends": "import os; os._exit(3)", "fails": "raise ImportError('planted')",
		"starts": "import threading, time; threading.Thread(target=time.sleep, args=(9,), daemon=True).start()",
	} {
		if err := os.WriteFile(filepath.Join(dir, name+".py"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const program = `import json, socket, sys
sys.path[:0] = sys.argv[1:]
from saturate_probe.forks import _Server
server = _Server(socket.socketpair()[0])
print(json.dumps([[server.tried([name]) for name in ("fine", "fails", "starts", "ends")], [name for name in ("fine", "starts") if name in sys.modules]]))
print(json.dumps(server.imported(["fine"])["imported"]))
`
	said, err := exec.Command(python(t), "-c", program, "py", dir).CombinedOutput()
	want := `[[null, null, {"unsafe": "starts threads", "module": "starts"}, {"unsafe": "ends the process", "module": "ends"}], []]` + "\n1\n"
	if err != nil || string(said) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, said, want)
	}
}
