//go:build linux

package gpu

import (
	"context"
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"saturate/internal/cuda"
	"saturate/internal/mel"
)

// Every figure of the test is there, on a GPU that is none.
func TestSelfTest(t *testing.T) {
	p := mel.Whisper(80)
	driver, err := cuda.OpenStandIn(fake(t, p))
	if err != nil {
		t.Fatal(err)
	}
	got, err := selfTestOn(context.Background(), driver, SelfTestOptions{
		Params: p, Clip: 300 * time.Millisecond, Files: 70, Workers: 2, Dir: t.TempDir(), Hold: 10 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	if got.GPU.Fresh.Files != 70 || got.Pool.Rows != 70 || got.GPU.Fresh.FilesPerS <= 0 || got.GPU.Again.FilesPerS <= 0 || got.CPU.Fresh.FilesPerS <= 0 || got.CPU.Again.FilesPerS <= 0 || got.GPU.Fresh.Busy <= 0 {
		t.Errorf("%+v", got)
	}
	text := ""
	for _, row := range got.Rows() {
		text += strings.Join(row, " | ") + "\n"
	}
	for _, want := range []string{
		"copy to the GPU, pinned memory | ", "copy to the host, pageable memory | ", "kernel alone | ", "with transfers | ", "end to end | ", "end to end, overwriting | ",
		"GPU busy, end to end | ", "peak GPU memory | ", "pinned host memory | ", "bound by | ", "largest error | 0.0",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
		t.Errorf("a figure is no number:\n%s", text)
	}
}

func TestMeanPercent(t *testing.T) {
	for text, want := range map[string]float64{"": -1, "0\n0\n": -1, "0\n50\n100\n0\n": 0.75, "[N/A]\n": -1} {
		if got := meanPercent(text); got != want {
			t.Errorf("%q: %g, want %g", text, got, want)
		}
	}
}

// TestHardwareSelfTest prints the table of a real GPU. SATURATE_GPU_FILES and SATURATE_GPU_WORKERS
// change the end-to-end run, TMPDIR is where its files are.
func TestHardwareSelfTest(t *testing.T) {
	if _, err := cuda.Open(); err != nil {
		t.Skip(err)
	}
	number := func(name string) int {
		n, _ := strconv.Atoi(os.Getenv(name))
		return n
	}
	got, err := RunSelfTest(context.Background(), SelfTestOptions{
		Params: mel.Whisper(80), Files: number("SATURATE_GPU_FILES"), Workers: number("SATURATE_GPU_WORKERS"),
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range got.Rows() {
		t.Log(strings.Join(row, " | "))
	}
	text, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s", text)
	if a := got.Speeds.Agreement; a.Far > 0 || a.Share() > 0.002 {
		t.Errorf("%v", a)
	}
}
