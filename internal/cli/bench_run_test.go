package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"saturate/internal/bench"
	"saturate/internal/run"
)

// A Run whose samples were cut off is said to be, alone and beside another, and in no other way.
func TestReportOfBenchThatWasCutOff(t *testing.T) {
	dir := t.TempDir()
	var ids []string
	for range 2 {
		kept, err := bench.Keep(filepath.Join(dir, "runs"), bench.Measured{Plan: bench.Plan{Task: bench.Attention}, Started: time.Now()}, run.Options{}, 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(kept.Dir, "bench.json"), []byte("{"), 0o644); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, kept.Dir)
	}
	for _, args := range [][]string{ids[:1], ids} {
		var out, said bytes.Buffer
		env := System()
		env.Dir, env.Stdout, env.Stderr = dir, &out, &said
		if code := Main(env, append([]string{"report"}, args...)); code != exitUsage || out.Len() > 0 || !strings.Contains(said.String(), "it is damaged") {
			t.Errorf("exit code %d, %q, %q", code, out.String(), said.String())
		}
	}
}
