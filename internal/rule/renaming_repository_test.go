package rule

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// pyRepository is a checkout whose own names can be exchanged.
type pyRepository struct {
	root    string
	project *project.Project
	eval    *project.Eval
	files   []*pyFile
	// words are what short texts, settings, scripts and notebooks spell: by these, names may be looked up.
	words map[string]bool
	// tops are the first parts of its own imports: folders and files.
	tops map[string]bool
	// named are texts that getattr and its like are given, anyNamed tells of others that are computed.
	named     map[string]bool
	anyNamed  bool
	added     map[string][]byte // further files, by their path below the root
	elsewhere map[string]bool   // attributes that other checkouts use too: perhaps those of libraries
}

// pyFile is one of its modules.
type pyFile struct {
	module  *project.Module
	parsed  *pysrc.File
	scopes  []*pyScope
	edits   []pyEdit
	whole   []byte // another text in place of the edits
	starred bool   // from own import *
}

// pyEdit writes another text over a range.
type pyEdit struct {
	start, end int32
	text       string
}

func (f *pyFile) rename(at int32, old, name string) {
	f.edits = append(f.edits, pyEdit{at, at + int32(len(old)), name})
}

var pyWord = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*`)

func (r *pyRepository) addWords(text []byte) {
	for _, w := range pyWord.FindAll(bytes.ReplaceAll(text, []byte("-"), []byte("_")), -1) {
		r.words[string(w)] = true
	}
	for _, w := range pyWord.FindAll(text, -1) {
		r.words[string(w)] = true
	}
}

// readRepository loads a checkout.
func readRepository(t *testing.T, root string) *pyRepository {
	t.Helper()
	p, err := project.Load(context.Background(), []string{root}, project.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := &pyRepository{root: root, project: p, eval: p.NewEval(), words: map[string]bool{}, tops: map[string]bool{}, named: map[string]bool{}}
	for _, s := range p.Settings {
		r.addWords(s.Text)
	}
	for _, s := range p.Scripts {
		r.addWords(s.Text)
	}
	for _, m := range p.Modules {
		if m.Notebook || m.Outline || m.File == nil {
			r.addWords(m.Text)
			continue
		}
		text, err := os.ReadFile(m.Path)
		if err != nil || !bytes.Equal(text, m.File.Src) { // another encoding, or \r\n that was changed
			r.addWords(m.Text)
			continue
		}
		f := &pyFile{module: m, parsed: m.File}
		f.scopes = pyScopes(f.parsed)
		r.files = append(r.files, f)
		for dir := m.Path; len(dir) > len(root); dir = filepath.Dir(dir) {
			r.tops[strings.TrimSuffix(filepath.Base(dir), ".py")] = true
		}
	}
	for _, f := range r.files {
		pysrc.Inspect(f.parsed.Module, func(n pysrc.Node) bool {
			switch n := n.(type) {
			case *pysrc.Constant:
				if n.Kind == pysrc.Str && len(n.Value) < 80 && !strings.Contains(n.Value, " ") {
					r.addWords([]byte(n.Value))
				}
			case *pysrc.ImportFrom:
				f.starred = f.starred || n.Names[0].Name == "*" && r.own(n)
			case *pysrc.Call:
				switch lastName(n.Func) {
				case "getattr", "hasattr", "setattr", "delattr", "attrgetter", "methodcaller":
					for _, a := range n.Args {
						if c, ok := a.(*pysrc.Constant); ok {
							r.named[c.Value] = true
						}
					}
					if len(n.Args) > 1 {
						_, literal := n.Args[1].(*pysrc.Constant)
						r.anyNamed = r.anyNamed || !literal
					}
				}
			case *pysrc.Attribute:
				r.anyNamed = r.anyNamed || n.Attr == "__dict__"
			}
			return true
		})
	}
	return r
}

// own reports an import from the repository itself.
func (r *pyRepository) own(from *pysrc.ImportFrom) bool {
	return from.Level > 0 || r.tops[topPart(from.Module)]
}

// lookedUp reports a name that something may look up by its text.
func (r *pyRepository) lookedUp(name string) bool {
	return r.named[name] || r.anyNamed && r.words[name]
}

// each visits the nodes of every file.
func (r *pyRepository) each(visit func(f *pyFile, n pysrc.Node)) {
	for _, f := range r.files {
		pysrc.Inspect(f.parsed.Module, func(n pysrc.Node) bool {
			visit(f, n)
			return true
		})
	}
}

// opaqueNames gives each name one that says nothing, of the same form: Z1 for a class, ZZ1 for a constant, _z1 for what is private.
type opaqueNames map[string]string

func (o opaqueNames) of(old string) string {
	if o[old] == "" {
		letters := strings.TrimLeft(old, "_")
		form := "zq"
		switch {
		case letters == strings.ToUpper(letters) && len(letters) > 1:
			form = "ZQ"
		case letters != "" && letters[0] >= 'A' && letters[0] <= 'Z' && len(letters) > 1:
			form = "Zq"
		}
		o[old] = fmt.Sprintf("%s%s%d", old[:len(old)-len(letters)], form, len(o)+1)
	}
	return o[old]
}

// write puts the files with their edits below a folder, at their old paths.
func (r *pyRepository) write(t *testing.T, to string, moved map[string]string) {
	t.Helper()
	edited := map[string]*pyFile{}
	for _, f := range r.files {
		edited[f.module.Path] = f
	}
	for path, text := range r.added {
		if err := os.MkdirAll(filepath.Join(to, filepath.Dir(path)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(to, path), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	err := filepath.WalkDir(r.root, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(r.root, path)
		if d.IsDir() {
			if d.Name() == ".git" {
				return filepath.SkipDir
			}
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		}
		info, err := d.Info()
		if err != nil || !info.Mode().IsRegular() || info.Size() > 5<<20 {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if f := edited[path]; f != nil {
			text = f.edited()
		}
		if moved[rel] != "" {
			rel = moved[rel]
		}
		return os.WriteFile(filepath.Join(to, rel), text, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// edited is the text with its edits; the first one of two at the same place counts.
func (f *pyFile) edited() []byte {
	if f.whole != nil {
		return f.whole
	}
	slices.SortStableFunc(f.edits, func(a, b pyEdit) int { return int(a.start - b.start) })
	var b bytes.Buffer
	at := int32(0)
	for _, e := range f.edits {
		if e.start < at {
			continue
		}
		b.Write(f.parsed.Src[at:e.start])
		b.WriteString(e.text)
		at = e.end
	}
	b.Write(f.parsed.Src[at:])
	return b.Bytes()
}
