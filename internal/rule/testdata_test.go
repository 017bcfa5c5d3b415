package rule

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"

	"saturate/internal/finding"
	"saturate/internal/patch"
	"saturate/internal/project"
)

var update = flag.Bool("update", false, "write the golden files from what the rules do now")

// TestRules runs each rule over testdata/<its name>. A case is a Python file, a
// notebook, or a folder that is a project. Lines say what is expected of them,
//
//	loader = DataLoader(data)  # want SAT203 "pageable"
//
// or, where a finding that stands elsewhere names the line in its evidence, # told SAT203 "and here",
// and files that have no comments are spoken for in a file named want, whose
// lines read config.json:3 SAT203 "pageable". A case that wants nothing is a
// near miss; every rule needs one, and a hit. Where findings carry fixes, the
// first of each is applied: the files must equal their .golden, parse, and give
// no such finding any more. A case whose name begins with "tried" is read for somebody who measures each fix; of
// one whose name begins with "small", all findings count, and their messages end with why they cost little.
func TestRules(t *testing.T) {
	for _, r := range rules {
		t.Run(r.Name, func(t *testing.T) {
			hits, misses := 0, 0
			fixes := map[Safety]bool{}
			for _, path := range casesOf(t, r) {
				t.Run(filepath.Base(path), func(t *testing.T) {
					wants := readWants(t, path)
					found := findings(t, path, r)
					checkWants(t, r, wants, found)
					if len(wants) == 0 {
						misses++
					} else {
						hits++
					}
					for _, s := range checkFixes(t, path, r, found) {
						fixes[s] = true
					}
				})
			}
			if hits == 0 || misses == 0 {
				t.Errorf("testdata/%s has %d cases with findings and %d near misses; it needs both", r.Name, hits, misses)
			}
			says := map[Safety]bool{r.Safety: true, r.AtWorst: true}
			delete(says, NoFix)
			if !maps.Equal(says, fixes) {
				t.Errorf("the rule says that its fix is %q, at worst %q, and fixes in testdata are: %v", r.Safety, r.AtWorst, fixes)
			}
		})
	}
}

func casesOf(t *testing.T, r *Rule) []string {
	t.Helper()
	folder := filepath.Join("testdata", r.Name)
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatalf("the rule has no test data: %v", err)
	}
	var cases []string
	for _, e := range entries {
		if e.IsDir() || strings.HasSuffix(e.Name(), ".py") || strings.HasSuffix(e.Name(), ".ipynb") {
			cases = append(cases, filepath.Join(folder, e.Name()))
		}
	}
	return cases
}

func load(t *testing.T, path string) *project.Project {
	t.Helper()
	p, err := project.Load(context.Background(), []string{path}, project.Options{Tries: strings.HasPrefix(filepath.Base(path), "tried")})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func findings(t *testing.T, path string, r *Rule) []finding.Finding {
	t.Helper()
	all := strings.HasPrefix(filepath.Base(path), "small") || r.Little != ""
	result, err := OnSource(context.Background(), load(t, path), Selection{Select: []string{r.Code}, All: all})
	if err != nil {
		t.Fatal(err)
	}
	for i := range result.Findings {
		if f := &result.Findings[i]; f.Small != "" && all {
			f.Message += "; " + f.Small
		}
	}
	return result.Findings
}

// want is one expected finding.
type want struct {
	path, code, pattern string
	line                int
	met                 bool
	told                bool // in the evidence of a finding that stands elsewhere
}

var (
	wantComment = regexp.MustCompile(`# (want|told) ((?:SAT\d+ "[^"]*"\s*)+)`)
	wantLine    = regexp.MustCompile(`^(\S+):(\d+) (SAT\d+ "[^"]*")`)
	wantPart    = regexp.MustCompile(`(SAT\d+) "([^"]*)"`)
)

func readWants(t *testing.T, root string) []*want {
	t.Helper()
	var wants []*want
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, ".golden") {
			return err
		}
		text, err := os.ReadFile(path)
		for i, line := range strings.Split(string(text), "\n") {
			at, number, parts, told := path, i+1, "", false
			if m := wantComment.FindStringSubmatch(line); m != nil {
				parts, told = m[2], m[1] == "told"
			} else if m := wantLine.FindStringSubmatch(line); m != nil && d.Name() == "want" {
				at, parts = filepath.Join(filepath.Dir(path), m[1]), m[3]
				fmt.Sscan(m[2], &number)
			}
			for _, m := range wantPart.FindAllStringSubmatch(parts, -1) {
				wants = append(wants, &want{path: at, line: number, code: m[1], pattern: m[2], told: told})
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return wants
}

// isToldBy reports a finding that names the line among its evidence.
func (w *want) isToldBy(f finding.Finding) bool {
	return f.Code == w.code && slices.ContainsFunc(f.Evidence, func(e finding.Evidence) bool {
		return e.Location != nil && e.Location.Path == w.path && e.Location.Line == w.line && regexp.MustCompile(w.pattern).MatchString(e.Text)
	})
}

func checkWants(t *testing.T, r *Rule, wants []*want, found []finding.Finding) {
	t.Helper()
next:
	for _, f := range found {
		for _, w := range wants {
			if !w.met && !w.told && w.path == f.Where.Path && w.line == f.Where.Line && w.code == f.Code && regexp.MustCompile(w.pattern).MatchString(f.Message) {
				w.met = true
				continue next
			}
		}
		t.Errorf("%s:%d: unexpected %s: %s\n    %s", f.Where.Path, f.Where.Line, f.Code, f.Message, f.Where.Excerpt)
	}
	for _, w := range wants {
		if w.told {
			w.met = slices.ContainsFunc(found, w.isToldBy)
		}
		if !w.met {
			t.Errorf("%s:%d: no %s that says %q", w.path, w.line, w.code, w.pattern)
		}
		if w.code != r.Code {
			t.Errorf("%s:%d: %s is not the code of %s, which is %s", w.path, w.line, w.code, r.Name, r.Code)
		}
	}
}

// checkFixes applies the first fix of each finding and returns how safe those are.
func checkFixes(t *testing.T, path string, r *Rule, found []finding.Finding) (safeties []Safety) {
	t.Helper()
	var patches []patch.Patch
	unfixed := 0
	for _, f := range found {
		if len(f.Fixes) == 0 {
			unfixed++
			continue
		}
		safeties = append(safeties, f.Fixes[0].Safety)
		patches = append(patches, f.Fixes[0])
	}
	if len(patches) == 0 {
		checkGoldens(t, path, nil)
		return nil
	}
	taken, conflicts := patch.Select(patches)
	for _, c := range conflicts {
		t.Errorf("the fix %q wants bytes that another one changes: %+v", c.Lost.Title, c.At)
	}
	changes, err := patch.Changes("", taken, nil)
	if err != nil {
		t.Fatal(err)
	}
	changed := map[string][]byte{}
	for _, c := range changes {
		changed[c.Path] = c.New
		compareGolden(t, c.Path+".golden", c.New)
	}
	checkGoldens(t, path, changed)
	recheck(t, path, r, changed, unfixed)
	return safeties
}

func compareGolden(t *testing.T, golden string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	expected, err := os.ReadFile(golden)
	if err != nil {
		t.Errorf("%v: run go test ./internal/rule -update and read what it wrote", err)
	} else if !bytes.Equal(expected, got) {
		t.Errorf("%s differs from what the fix gives:\n%s", golden, firstDifference(expected, got))
	}
}

func firstDifference(a, b []byte) string {
	as, bs := strings.Split(string(a), "\n"), strings.Split(string(b), "\n")
	for i := range max(len(as), len(bs)) {
		x, y := "", ""
		if i < len(as) {
			x = as[i]
		}
		if i < len(bs) {
			y = bs[i]
		}
		if x != y {
			return fmt.Sprintf("line %d\n  expected %s\n  got      %s", i+1, x, y)
		}
	}
	return ""
}

// checkGoldens complains of golden files that no fix gives.
func checkGoldens(t *testing.T, path string, changed map[string][]byte) {
	t.Helper()
	pattern := path + ".golden"
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		pattern = filepath.Join(path, "*.golden")
	}
	matches, _ := filepath.Glob(pattern)
	for _, m := range matches {
		if _, ok := changed[strings.TrimSuffix(m, ".golden")]; !ok {
			t.Errorf("%s: no fix changes that file", m)
		}
	}
}

// recheck writes the repaired project to a folder and runs the rule over it:
// it parses, and only findings that had no fix are left.
func recheck(t *testing.T, path string, r *Rule, changed map[string][]byte, unfixed int) {
	t.Helper()
	root := filepath.Join(t.TempDir(), filepath.Base(path))
	err := filepath.WalkDir(path, func(file string, d os.DirEntry, err error) error {
		if err != nil || strings.HasSuffix(file, ".golden") {
			return err
		}
		rel, err := filepath.Rel(path, file)
		if err != nil {
			return err
		}
		target := filepath.Join(root, rel)
		if d.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		text, ok := changed[file]
		if !ok {
			if text, err = os.ReadFile(file); err != nil {
				return err
			}
		}
		return os.WriteFile(target, text, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
	p := load(t, root)
	for _, w := range p.Warnings {
		t.Errorf("after the fix: %s:%d: %s", w.Path, w.Line, w.Message)
	}
	left := findings(t, root, r)
	if len(left) != unfixed {
		t.Errorf("after the fix %d findings are left, %d of them had none:", len(left), unfixed)
		for _, f := range left {
			t.Errorf("    %s:%d: %s", f.Where.Path, f.Where.Line, f.Message)
		}
	}
}

// TestRulesAreDocumented holds the data of each rule to what people read.
func TestRulesAreDocumented(t *testing.T) {
	if !sort.SliceIsSorted(rules, func(i, j int) bool { return rules[i].Code < rules[j].Code }) {
		t.Error("the list is not in order of the codes")
	}
	seen := map[string]bool{}
	for _, r := range rules {
		if seen[r.Code] || seen[r.Name] {
			t.Errorf("%s %s: the code or the name is taken", r.Code, r.Name)
		}
		seen[r.Code], seen[r.Name] = true, true
		if !regexp.MustCompile(`^SAT[1-8]\d\d$`).MatchString(r.Code) || !regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`).MatchString(r.Name) {
			t.Errorf("%s %s: a code is SAT and three digits, a name is words with hyphens", r.Code, r.Name)
		}
		for field, text := range map[string]string{"Title": r.Title, "What": r.What, "Why": r.Why, "Fine": r.Fine, "Bad": r.Bad, "Good": r.Good} {
			if text == "" {
				t.Errorf("%s: %s is empty", r.Code, field)
			}
		}
		if strings.HasSuffix(r.Title, ".") {
			t.Errorf("%s: the title is a clause without a full stop", r.Code)
		}
		if r.Severity == "" || r.Source == nil && r.Settings == nil {
			t.Errorf("%s: it has no severity, or nothing to run", r.Code)
		}
		if g := r.Gain; g != (Range{}) && (g.Low < 1 || g.High < g.Low || g.Source == "") {
			t.Errorf("%s: a gain is a range from 1 up, with its source", r.Code)
		}
		if r.Safety == NoFix && r.Advice == "" {
			t.Errorf("%s: a rule without a fix says what to do", r.Code)
		}
	}
}
