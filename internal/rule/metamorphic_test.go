package rule

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// TestMetamorphic rewrites every test case that is a single file in ways that
// change nothing for Python: no finding may appear, vanish or change its line.
func TestMetamorphic(t *testing.T) {
	for _, r := range rules {
		for _, path := range singleFiles(r) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			before := placesIn(t, r, map[string]string{"case.py": string(text)}, 0)
			file := pysrc.Parse(path, text)
			for name, rewrite := range map[string]func(*pysrc.File) (map[string]string, int){
				"renamed": renamed, "wrapped": wrapped, "split": split, "opaque": opaque, "metrics": withMetrics,
				"prepared": fileNamed("prepare_features.py"), "extracted": fileNamed("extract.py"), "sampled": fileNamed("sample_zz.py"),
			} {
				files, shift := rewrite(file)
				if files == nil {
					continue
				}
				if after := placesIn(t, r, files, shift); !slices.Equal(before, after) {
					t.Errorf("%s, %s: findings %v, before %v", path, name, after, before)
				}
			}
		}
	}
}

func singleFiles(r *Rule) []string {
	list, _ := filepath.Glob(filepath.Join("testdata", r.Name, "*.py"))
	return list
}

// placesIn lists the lines of the findings, whichever file they are in.
func placesIn(t *testing.T, r *Rule, files map[string]string, shift int) []string {
	t.Helper()
	sources := map[string][]byte{}
	for name, text := range files {
		sources[name] = []byte(text)
	}
	p, err := project.FromSources(context.Background(), sources)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range p.Warnings {
		t.Errorf("%s: %s\n%s", w.Path, w.Message, files[w.Path])
	}
	result, err := OnSource(context.Background(), p, Selection{Select: []string{r.Code}})
	if err != nil {
		t.Fatal(err)
	}
	var places []string
	for _, f := range result.Findings {
		places = append(places, fmt.Sprintf("%s:%d", f.Code, f.Where.Line-shift))
	}
	slices.Sort(places)
	return places
}

// renamed gives every variable that is only a variable another name. The words
// of the old one stay in it: loss becomes loss_zz, and RATE becomes RATE_ZZ.
func renamed(f *pysrc.File) (map[string]string, int) {
	return rename(f, func(old string) string {
		if strings.ToUpper(old) == old {
			return old + "_ZZ"
		}
		return old + "_zz"
	})
}

// opaque gives every such variable a name that says nothing: loss becomes v3. A constant in capitals keeps its name,
// which is all that a URL may have, and so does what is held out (val_loader) where nothing goes over it.
func opaque(f *pysrc.File) (map[string]string, int) {
	numbers := map[string]int{}
	return rename(f, func(old string) string {
		if strings.ToUpper(old) == old || project.HasWord(old, heldOutWords...) || project.HasWord(old, "sample") {
			return old
		}
		if numbers[old] == 0 {
			numbers[old] = len(numbers) + 1
		}
		return fmt.Sprintf("v%d", numbers[old])
	})
}

// fileNamed gives the file another name: what a program does does not depend on it.
func fileNamed(name string) func(*pysrc.File) (map[string]string, int) {
	return func(f *pysrc.File) (map[string]string, int) { return map[string]string{name: string(f.Src)}, 0 }
}

// withMetrics puts results beside the program, which nothing reads. Some of their keys are also those of settings.
func withMetrics(f *pysrc.File) (map[string]string, int) {
	return map[string]string{
		"case.py":      string(f.Src),
		"metrics.json": `{"precision": 0.91, "recall": 0.88, "fp16": 1.2, "amp": 0.3, "num_workers": 3}`,
	}, 0
}

// rename writes another name for every variable that is only a variable.
func rename(f *pysrc.File, name func(string) string) (map[string]string, int) {
	stored, taken := map[string]bool{}, map[string]bool{}
	var names []*pysrc.Name
	pysrc.Inspect(f.Module, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.Name:
			names = append(names, n)
			stored[n.ID] = stored[n.ID] || n.Ctx == pysrc.Store
		case *pysrc.Arg:
			taken[n.Name] = true
		case *pysrc.Alias:
			first, _, _ := strings.Cut(n.Name, ".")
			taken[first], taken[n.Asname] = true, true
		case *pysrc.FunctionDef:
			taken[n.Name] = true
		case *pysrc.Global:
			for _, name := range n.Names {
				taken[name] = true
			}
		case *pysrc.Nonlocal:
			for _, name := range n.Names {
				taken[name] = true
			}
		case *pysrc.ClassDef:
			taken[n.Name] = true
			for _, s := range n.Body { // fields are read as attributes
				switch s := s.(type) {
				case *pysrc.Assign:
					taken[pysrc.DottedName(s.Targets[0])] = true
				case *pysrc.AnnAssign:
					taken[pysrc.DottedName(s.Target)] = true
				}
			}
		}
		return true
	})
	var b strings.Builder
	at := int32(0)
	slices.SortFunc(names, func(a, b *pysrc.Name) int { return int(a.Start - b.Start) })
	for _, n := range names {
		if stored[n.ID] && !taken[n.ID] && n.Start >= at {
			b.Write(f.Src[at:n.Start])
			b.WriteString(name(n.ID))
			at = n.End
		}
	}
	b.Write(f.Src[at:])
	return map[string]string{"case.py": b.String()}, 0
}

// wrapped puts the whole file into a function.
func wrapped(f *pysrc.File) (map[string]string, int) {
	for _, s := range f.Module.Body {
		if from, ok := s.(*pysrc.ImportFrom); ok && (from.Module == "__future__" || from.Names[0].Name == "*") {
			return nil, 0 // only allowed at the top level
		}
	}
	var b strings.Builder
	b.WriteString("def wrapped_zz():\n")
	for line := range strings.Lines(string(f.Src)) {
		if strings.TrimSpace(line) != "" {
			b.WriteString("    ")
		}
		b.WriteString(line)
	}
	return map[string]string{"case.py": b.String()}, 1
}

// split moves the functions and classes that stand on their own into a module,
// which the rest imports. Lines stay where they were.
func split(f *pysrc.File) (map[string]string, int) {
	staying := map[string]bool{} // variables of the top level, and what uses them
	for _, s := range f.Module.Body {
		pysrc.Inspect(s, func(n pysrc.Node) bool {
			switch n := n.(type) {
			case *pysrc.FunctionDef, *pysrc.ClassDef, *pysrc.Lambda:
				return false
			case *pysrc.Name:
				staying[n.ID] = staying[n.ID] || n.Ctx == pysrc.Store
			}
			return true
		})
	}
	for changed := true; changed; {
		changed = false
		for _, s := range f.Module.Body {
			if name, _ := definition(s); name != "" && !staying[name] && namesAny(s, staying) {
				staying[name], changed = true, true
			}
		}
	}
	part, rest := slices.Clone(f.Src), slices.Clone(f.Src)
	moved := map[string]bool{}
	first := int32(-1)
	for _, s := range f.Module.Body {
		switch s.(type) {
		case *pysrc.Import, *pysrc.ImportFrom:
			continue
		}
		name, start := definition(s)
		if name == "" || staying[name] {
			blank(part, start, s.Bounds().End)
			continue
		}
		moved[name] = true
		blank(rest, start, s.Bounds().End)
		if first < 0 {
			first = start
		}
	}
	if len(moved) == 0 || !namesAny(pysrc.Parse("rest.py", rest).Module, moved) {
		return nil, 0 // nothing would join the two
	}
	importing := "from part_zz import " + strings.Join(slices.Sorted(maps.Keys(moved)), ", ") + ";"
	text := string(rest[:first]) + importing + string(rest[first:])
	return map[string]string{"case.py": text, "part_zz.py": string(part)}, 0
}

// definition is the name of a function or class, empty for other statements,
// and where the statement starts with its decorators.
func definition(s pysrc.Stmt) (string, int32) {
	name, decorators := "", []pysrc.Expr(nil)
	switch s := s.(type) {
	case *pysrc.FunctionDef:
		name, decorators = s.Name, s.Decorators
	case *pysrc.ClassDef:
		name, decorators = s.Name, s.Decorators
	}
	if len(decorators) > 0 {
		return name, decorators[0].Bounds().Start - 1
	}
	return name, s.Bounds().Start
}

// namesAny reports whether a name of the set stands in the tree.
func namesAny(root pysrc.Node, names map[string]bool) bool {
	found := false
	pysrc.Inspect(root, func(n pysrc.Node) bool {
		if name, ok := n.(*pysrc.Name); ok && names[name.ID] && name.Ctx == pysrc.Load {
			found = true
		}
		return !found
	})
	return found
}

// blank writes spaces over a range, line ends excepted.
func blank(text []byte, start, end int32) {
	for i := start; i < end; i++ {
		if text[i] != '\n' && text[i] != '\r' {
			text[i] = ' '
		}
	}
}
