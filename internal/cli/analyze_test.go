package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"saturate/internal/analyze"
)

// shownTraces are the outputs that docs/analyze shows: what was typed, and the file.
var shownTraces = []struct{ file, typed string }{
	{"starved.txt", "analyze testdata/traces/starved.pt.trace.json.gz"},
	{"starved-findings.txt", "analyze --details findings testdata/traces/starved.pt.trace.json.gz"},
	{"fixed.txt", "analyze testdata/traces/fixed.pt.trace.json.gz"},
	{"compiled.txt", "analyze --details kernels testdata/traces/compiled.pt.trace.json.gz"},
	{"launchbound.txt", "analyze --details launch testdata/traces/launchbound.pt.trace.json.gz"},
	{"jax.txt", "analyze --details gaps testdata/traces/jax/vm.xplane.pb"},
	{"starved-step.txt", "analyze --step 7 testdata/traces/starved.pt.trace.json.gz"},
	{"starved-hta.txt", "analyze --hta testdata/traces/starved.pt.trace.json.gz"},
	{"starved-fixed.txt", "compare testdata/traces/starved.pt.trace.json.gz testdata/traces/fixed.pt.trace.json.gz"},
}

// TestShownAnalyses writes, with -update, what the program says about each real trace into
// docs/analyze, and otherwise requires that it still says so.
func TestShownAnalyses(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range shownTraces {
		var stdout, stderr bytes.Buffer
		env := &Env{
			Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr, Dir: root,
			Now: time.Now, Vars: []string{"HOME=" + t.TempDir()}, Width: 100,
		}
		// Quietly: where a machine is slow, progress would show.
		if code := Main(env, append(strings.Fields(s.typed), "-q")); code != exitDone && code != exitFound || stderr.Len() > 0 {
			t.Errorf("%s exits with %d: %s", s.typed, code, stderr.String())
		}
		got := "$ saturate " + s.typed + "\n" + stdout.String()
		path := filepath.Join(root, "docs", "analyze", s.file)
		want, _ := os.ReadFile(path)
		if string(want) == got {
			continue
		}
		if !*update {
			t.Errorf("docs/analyze/%s does not show what the program prints now; read the change, then run `go test ./internal/cli -run TestShownAnalyses -update`:\n%s",
				s.file, firstDifference(string(want), got))
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRuleTable writes, with -update, the table of the rules over traces.
func TestRuleTable(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Rules for traces\n\n`saturate analyze` applies them; each finding says how much time per step it could save.\n\n")
	b.WriteString("| code | name | what | why | what to do | related rules of scan |\n|---|---|---|---|---|---|\n")
	for _, r := range analyze.Rules() {
		var cures []string
		for _, cure := range r.CureRules() {
			cures = append(cures, cure.Code)
		}
		cells := []string{r.Code, r.Name, r.Title, r.Why, r.Advice, strings.Join(cures, ", ")}
		b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
	}
	path := filepath.Join("..", "..", "docs", "analyze", "rules.md")
	if want, _ := os.ReadFile(path); string(want) == b.String() {
		return
	}
	if !*update {
		t.Fatal("docs/analyze/rules.md is not the list of rules; run `go test ./internal/cli -run TestRuleTable -update`")
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
