package stat

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestWriteBenchmark(t *testing.T) {
	var out bytes.Buffer
	err := WriteBenchmark(&out,
		map[string]string{"cpu": "A \n B", "Git Commit": "abc", "empty": " ", "GPU:0": "H200", "7": "seven"},
		Series{"step time", "s/it", []float64{0.5, nan, 0.25}},
		Series{"speed", "samples/s", []float64{32}},
		Series{"", "", []float64{1}},
		Series{"nothing", "s/it", nil})
	if err != nil {
		t.Fatal(err)
	}
	const want = `Unit sec/it better=lower
Unit samples/s better=higher
x-7: seven
gpu-0: H200
git-commit: abc
cpu: A B

BenchmarkStep_time 1 0.5 sec/it
BenchmarkStep_time 1 0.25 sec/it
# 1 value of Step_time is NaN or infinite and left out
BenchmarkSpeed 1 32 samples/s
BenchmarkSamples 1 1 value
`
	if out.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", out.String(), want)
	}
	if err := WriteBenchmark(brokenWriter{}, nil, Series{"x", "", []float64{1}}); err == nil {
		t.Error("a failed write is not reported")
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("disk full") }

// benchstat itself reads what WriteBenchmark writes, and says the same as Compare.
func TestBenchstatReadsIt(t *testing.T) {
	before := Series{"step", "s/it", []float64{1.40, 1.42, 1.45, 1.39, 1.43, 1.41}}
	after := Series{"step", "s/it", []float64{0.61, 0.60, 0.63, 0.62, 0.59, 0.64}}
	speed := Series{"step", "samples/s", []float64{11, 12, 11, nan, 12, 11, 12}}
	dir := t.TempDir()
	write := func(name string, series ...Series) string {
		path := filepath.Join(dir, name)
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := WriteBenchmark(f, map[string]string{"cpu": "test"}, series...); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		return path
	}
	files := []string{write("before.txt", before, speed), write("after.txt", after, speed)}

	cmd := exec.Command("go", append([]string{"tool", "-modfile=tools/tools.mod", "benchstat"}, files...)...)
	cmd.Dir = "../.."
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.Output()
	if err != nil {
		t.Fatalf("benchstat: %v\n%s", err, stderr.Bytes())
	}
	comparison := Compare(before, after)
	for _, want := range []string{"sec/it", "samples/s", "1415.0m", "615.0m", comparison.Delta(), "p=0.002", "n=6"} {
		if !strings.Contains(string(stdout), want) {
			t.Errorf("benchstat does not say %q", want)
		}
	}
	if t.Failed() {
		t.Logf("%s%s", stdout, stderr.Bytes())
	}
}
