package project

import (
	"context"
	"testing"
)

// A call is found from the nearest of several functions, and no deeper than asked.
func TestAnyReaches(t *testing.T) {
	const source = `def deep(): wanted()
def middle(): deep()
def far(): middle()
def near(): deep()
`
	p, err := FromSources(context.Background(), map[string][]byte{"a.py": []byte(source)})
	if err != nil {
		t.Fatal(err)
	}
	functions := map[string]*Function{}
	for _, f := range p.Modules[0].Functions {
		functions[f.Name] = f
	}
	e := p.NewEval()
	defer e.Release()
	isWanted := func(s *Site) bool { return lastName(s.Node.Func) == "wanted" }
	for _, c := range []struct {
		from  []string
		most  int
		start string
	}{
		{nil, 3, ""},
		{[]string{"far"}, 1, ""},
		{[]string{"far"}, 2, "far"},
		{[]string{"far", "near"}, 3, "near"},
		{[]string{"far", "near", "far"}, 1, "near"},
	} {
		var from []*Function
		for _, name := range c.from {
			from = append(from, functions[name])
		}
		path, found := p.AnyReaches(e, from, isWanted, c.most)
		if found != (c.start != "") || found && path.Root.Name != c.start {
			t.Errorf("from %v within %d calls: found %v from %v, want %q", c.from, c.most, found, path.Root, c.start)
		}
	}
}
