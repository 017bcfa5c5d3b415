package py

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// python is the interpreter of the tests, and a folder with the files as a user gets them.
func python(t *testing.T) (string, string) {
	interpreter := os.Getenv("SATURATE_TEST_PYTHON")
	if interpreter == "" {
		t.Skip("SATURATE_TEST_PYTHON names no Python with torch and JAX")
	}
	dir := t.TempDir()
	if err := Write(dir); err != nil {
		t.Fatal(err)
	}
	return interpreter, dir
}

// The tests that go along with the module pass, by pytest where it is installed.
func TestOwnTests(t *testing.T) {
	interpreter, dir := python(t)
	args := []string{"-m", "unittest"}
	if exec.Command(interpreter, "-c", "import pytest").Run() == nil {
		args = []string{"-m", "pytest", "-q", "-p", "no:cacheprovider"}
	}
	cmd := exec.Command(interpreter, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
	t.Logf("%s", out[max(0, len(out)-300):])
}

func TestRunner(t *testing.T) {
	interpreter, dir := python(t)
	clips := filepath.Join(dir, "clips")
	if err := os.Mkdir(clips, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.wav", "b.wav", "c.wav"} {
		if err := os.WriteFile(filepath.Join(clips, name), silence(1600), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	plan := map[string]any{
		"framework": "torch", "device": "cpu", "warmup": 0, "iterations": 2, "max_seconds": 0.1, "flush_bytes": 1 << 16, "levels": []int{}, "ceilings": []string{},
		"attention": []map[string]any{{"batch": 1, "seq": 8, "d_model": 8, "heads": 2, "dtype": "bf16"}},
		"loaders":   []map[string]any{{"source": clips, "workers": []int{0, 2}, "batch": 2, "repeats": 1, "seconds": 0.1}},
	}
	lines, code := carryOut(t, interpreter, dir, plan)
	if code != 0 {
		t.Fatalf("exit %d: %v", code, lines)
	}
	var kinds []string
	for _, line := range lines {
		if kind := line["kind"].(string); kind != "progress" {
			kinds = append(kinds, kind)
		}
	}
	want := []string{"device", "component", "component", "component", "component", "component", "loader", "loader", "device", "end"}
	if !slices.Equal(kinds, want) {
		t.Errorf("lines are %v, want %v", kinds, want)
	}

	plan["iterations"] = 0
	lines, code = carryOut(t, interpreter, dir, plan)
	if last := lines[len(lines)-1]; code != 2 || last["fatal"] != true || !strings.Contains(last["message"].(string), "iterations is 0") {
		t.Errorf("zero iterations: exit %d, %v", code, last)
	}
}

func carryOut(t *testing.T, interpreter, dir string, plan map[string]any) ([]map[string]any, int) {
	t.Helper()
	text, err := json.Marshal(plan)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(interpreter, filepath.Join(dir, Runner), "--plan", "-")
	var said bytes.Buffer
	cmd.Stdin, cmd.Stderr, cmd.Dir = bytes.NewReader(text), &said, dir
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	var lines []map[string]any
	for text := range bytes.Lines(out) {
		var line map[string]any
		if err := json.Unmarshal(text, &line); err != nil {
			t.Fatalf("%q: %v\n%s", text, err, &said)
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		t.Fatalf("nothing was said\n%s", &said)
	}
	return lines, cmd.ProcessState.ExitCode()
}

// silence is a WAV file of so many samples, 16 bit at 16 kHz.
func silence(samples int) []byte {
	header := "RIFF\x00\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x80\x3e\x00\x00\x00\x7d\x00\x00\x02\x00\x10\x00data"
	size := 2 * samples
	out := append([]byte(header), byte(size), byte(size>>8), byte(size>>16), byte(size>>24))
	out = append(out, make([]byte, size)...)
	whole := len(out) - 8
	copy(out[4:8], []byte{byte(whole), byte(whole >> 8), byte(whole >> 16), byte(whole >> 24)})
	return out
}

// Every example in PROTOCOL.md is JSON of a kind that the runner writes.
func TestExamplesOfTheProtocol(t *testing.T) {
	text, err := os.ReadFile("PROTOCOL.md")
	if err != nil {
		t.Fatal(err)
	}
	runner, err := sources.ReadFile(Runner)
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for block := range strings.SplitSeq(string(text), "```json\n") {
		examples, _, ok := strings.Cut(block, "```")
		if !ok || !strings.HasPrefix(examples, "{") {
			continue
		}
		decoder := json.NewDecoder(strings.NewReader(examples))
		for decoder.More() {
			var example map[string]any
			if err := decoder.Decode(&example); err != nil {
				t.Fatalf("%v in %s", err, examples)
			}
			seen++
			if kind, ok := example["kind"].(string); ok && !strings.Contains(string(runner), `"`+kind+`"`) {
				t.Errorf("the runner writes no %q", kind)
			}
		}
	}
	if seen < 12 {
		t.Errorf("%d examples found", seen)
	}
}

func TestFiles(t *testing.T) {
	var names []string
	for name := range Files() {
		names = append(names, name)
	}
	for _, want := range []string{Runner, "test_saturate_bench.py", "saturate_bench/__init__.py", "saturate_bench/torch_attention.py", "saturate_bench/jax_attention.py"} {
		if !slices.Contains(names, want) {
			t.Errorf("%s is not among %v", want, names)
		}
	}
}
