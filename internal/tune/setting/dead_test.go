package setting

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"saturate/internal/project"
	"saturate/internal/rule"
)

// TestScanFindsDeadKnobsToo holds this list against the rule that finds them in a source.
func TestScanFindsDeadKnobsToo(t *testing.T) {
	var b strings.Builder
	b.WriteString("import torch\n\n")
	lines := map[int]string{}
	for _, d := range dead {
		if !d.IsVariable() {
			fmt.Fprintf(&b, "%s = 1\n", d.Name)
			lines[strings.Count(b.String(), "\n")] = d.Name
		}
	}
	path := filepath.Join(t.TempDir(), "train.py")
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	p, err := project.Load(context.Background(), []string{path}, project.Options{})
	if err != nil {
		t.Fatal(err)
	}
	result, err := rule.OnSource(context.Background(), p, rule.Selection{Select: []string{"setting-without-effect"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range result.Findings {
		delete(lines, f.Where.Line)
	}
	for line, name := range lines {
		t.Errorf("line %d: the rule does not know that %s does nothing", line, name)
	}
}

func TestDeadVariables(t *testing.T) {
	m := machine(t, "cpu-amx") // GNU's threads
	m.Variables = map[string]string{"KMP_AFFINITY": "compact", "CUDNN_CONV_WSCAP_DBG": "4096", "OMP_NUM_THREADS": "2"}
	var names []string
	for _, d := range DeadVariables(m) {
		names = append(names, d.Name)
	}
	if got := strings.Join(names, " "); got != "CUDNN_CONV_WSCAP_DBG KMP_AFFINITY" {
		t.Errorf("dead: %s", got)
	}
	m.OpenMP = "iomp5"
	if got := len(DeadVariables(m)); got != 1 {
		t.Errorf("with Intel's threads %d are dead, want 1", got)
	}
}
