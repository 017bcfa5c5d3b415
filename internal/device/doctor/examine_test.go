package doctor

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"saturate/internal/cuda"
	"saturate/internal/cuda/cudatest"
	"saturate/internal/device"
)

// This machine, as it is, with everything that can be measured on it.
func TestExamineHere(t *testing.T) {
	dir := t.TempDir()
	d := Examine(context.Background(), device.Host{Dir: dir}, Options{Dir: dir, Python: os.Getenv("SATURATE_TEST_PYTHON"), Quick: true})
	if d.OS != runtime.GOOS || d.Hardware.Processor.Threads == 0 || d.Disk.TotalBytes == 0 || d.Disk.FreeBytes > d.Disk.TotalBytes {
		t.Errorf("got %+v", d)
	}
	if d.Torch != nil || d.Disk.Read != nil || len(d.Copies) > 0 {
		t.Error("quick measured something")
	}
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	var back Diagnosis
	if err := json.Unmarshal(text, &back); err != nil || back.OS != d.OS {
		t.Errorf("JSON does not come back: %v", err)
	}
	groups := map[string]bool{}
	for _, row := range d.Rows() {
		groups[row.Group] = true
		if row.Thing == "" || row.Value == "" || row.State == "" {
			t.Errorf("incomplete row %+v", row)
		}
	}
	if len(groups) != 4 {
		t.Errorf("groups %v", groups)
	}
}

// The test's driver library stands for a GPU: the whole way through child process, copies and rows.
func TestExamineWithDriverLibrary(t *testing.T) {
	if !cuda.Built {
		t.Skip("this build has no CUDA loader")
	}
	library := cudatest.Library(t)
	dir := t.TempDir()
	host := device.Host{Env: []string{"PATH=" + dir, "LD_LIBRARY_PATH=" + filepath.Dir(library)}, Dir: dir}
	d := Examine(context.Background(), host, Options{Dir: dir})
	if len(d.Hardware.GPUs) != 1 || d.Hardware.GPUs[0].FreeBytes != 149000000000 || d.Hardware.Backend != device.CUDA {
		t.Fatalf("GPUs %+v, notes %q", d.Hardware.GPUs, d.Hardware.Notes)
	}
	if len(d.Copies) != 1 || len(d.Copies[0].Speeds) != 4 || d.Copies[0].Problem != "" {
		t.Errorf("copies %+v", d.Copies)
	}
	if len(d.Pythons) != 0 {
		t.Errorf("an empty PATH has interpreters %+v", d.Pythons)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("files were left behind: %v", left)
	}
}

func TestMeasureRead(t *testing.T) {
	dir := t.TempDir()
	read, err := measureRead(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if read.Bytes < minRead || read.Bytes > readSize || read.Seconds <= 0 || read.GBps() <= 0 {
		t.Errorf("got %+v", read)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("files were left behind: %v", left)
	}

	var d Disk
	measureDisk(context.Background(), &d, Options{Dir: filepath.Join(dir, "absent")})
	if d.Read != nil || !strings.Contains(d.Problem, "absent") {
		t.Errorf("a folder that is not there: %+v", d)
	}
	measureDisk(context.Background(), &d, Options{Dir: filepath.Join(dir, "absent"), Cache: filepath.Join(dir, "cache")})
	if d.Read == nil || d.Read.Dir != filepath.Join(dir, "cache") {
		t.Errorf("the cache folder was not tried: %+v", d)
	}
	stopped, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := readWithin(stopped, dir); err == nil {
		t.Error("a stopped measurement gave a figure")
	}
}

// The label must follow what the kernel says of the pages, not what was hoped for.
func TestCachedShare(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells which pages are cached")
	}
	file, err := os.Create(filepath.Join(t.TempDir(), "pages"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	const size = 4 << 20
	if _, err := file.Write(make([]byte, size)); err != nil {
		t.Fatal(err)
	}
	if share := cachedShare(file, size); share < 0.99 {
		t.Errorf("just written, yet %v is cached", share)
	}
	if share := cachedShare(file, 0); share != 1 {
		t.Errorf("an empty file: %v", share)
	}
}

func TestPythonsAreFoundOnceEach(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the interpreters are Unix scripts")
	}
	dir := t.TempDir()
	install := func(path, prefix, packages string) {
		t.Helper()
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		script := "#!/bin/sh\necho 'saturate:{\"version\": \"3.12.1\", \"prefix\": \"" + prefix + "\", \"packages\": {" + packages + "}}'\n"
		if err := os.WriteFile(path, []byte(script), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	install("bin/python3", "/usr", `"jax": "1"`)
	install("bin/python", "/usr", `"jax": "1"`)
	install("project/.venv/bin/python", "/project/.venv", `"torch": "2"`)
	install("active/bin/python", "/active", ``)
	host := device.Host{Dir: filepath.Join(dir, "project"), Env: []string{"PATH=" + filepath.Join(dir, "bin"), "VIRTUAL_ENV=" + filepath.Join(dir, "active")}}

	found := pythons(context.Background(), host, Options{Dir: host.Dir})
	var got []string
	for _, p := range found {
		got = append(got, p.Origin+" "+p.Prefix)
	}
	if want := "PATH /usr; VIRTUAL_ENV /active"; strings.Join(got, "; ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "; "), want)
	}

	if got := offered(Options{Dir: host.Dir}); got != ".venv/bin/python" {
		t.Errorf("%q is offered", got)
	}

	named := pythons(context.Background(), host, Options{Dir: host.Dir, Python: "../active/bin/python"})
	if named[0].Origin != "--python" || named[0].Prefix != "/active" {
		t.Errorf("the named interpreter is not first: %+v", named[0])
	}

	hangs := filepath.Join(dir, "hangs")
	if err := os.WriteFile(hangs, []byte("#!/bin/sh\nsleep 60\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	if p := interpreter(ctx, device.Host{}, candidate{"--python", hangs}); !strings.Contains(p.Problem, "did not respond") {
		t.Errorf("an interpreter that hangs: %+v", p)
	}
}

// The probe's answers against the interpreter's own.
func TestProbeAgainstPython(t *testing.T) {
	python := os.Getenv("SATURATE_TEST_PYTHON")
	if python == "" {
		t.Skip("SATURATE_TEST_PYTHON is not set")
	}
	dir := t.TempDir()
	for _, trap := range []string{"json.py", "platform.py", "importlib.py"} { // a user's files must not stand for Python's
		if err := os.WriteFile(filepath.Join(dir, trap), []byte("raise SystemExit('trapped')"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	host := device.Host{Dir: dir}
	d := Diagnosis{Pythons: pythons(context.Background(), host, Options{Dir: dir, Python: python})}
	p := d.Pythons[0]
	if p.Problem != "" {
		t.Fatal(p.Problem)
	}
	if p.Packages["torch"] == "" {
		t.Skipf("%s has no torch", python)
	}
	d.importTorch(context.Background(), host)
	script := "import platform, sys, torch; print(platform.python_version(), sys.prefix, torch.__version__, torch.cuda.device_count())"
	out, err := exec.Command(python, "-W", "ignore", "-c", script).Output()
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Fields(string(out))
	if got := []string{p.Version, p.Prefix, d.Torch.Version}; strings.Join(got, " ") != strings.Join(want[:3], " ") {
		t.Errorf("got %q, want %q", got, want)
	}
	if d.Torch.Seconds <= 0 || d.Torch.GPUs != int(want[3][0]-'0') {
		t.Errorf("torch %+v, Python says %q", d.Torch, want)
	}
	if !strings.HasPrefix(d.Torch.Version, p.Packages["torch"]) {
		t.Errorf("metadata says %s, torch says %s", p.Packages["torch"], d.Torch.Version)
	}
}

func FuzzParseProbe(f *testing.F) {
	f.Add([]byte("saturate:{\"version\": \"3.12.1\", \"packages\": {\"torch\": \"2\"}}\n"))
	f.Add([]byte("noise\nsaturate:{\"gpus\": 2, \"archs\": [\"sm_90\"]}"))
	f.Add([]byte("saturate:[]"))
	f.Fuzz(func(t *testing.T, out []byte) {
		var p Python
		if err := parseProbe(out, &p); err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("not one line: %v", err)
		}
		var torch Torch
		if parseProbe(out, &torch) == nil {
			_ = Diagnosis{Pythons: []Python{p}, Torch: &torch}.Rows() // whatever it said can be shown
		}
	})
}
