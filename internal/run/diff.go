package run

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// Difference is one way in which two environments are not the same. A value is "" where one side has none.
type Difference struct {
	What string `json:"what"` // cpu, gpu 0 driver, torch, git commit, variable OMP_NUM_THREADS
	A    string `json:"a"`    // value of the first Run
	B    string `json:"b"`    // value of the second Run
}

// DiffEnvironments lists what differs between two environments, the hardware first.
func DiffEnvironments(a, b Environment) []Difference {
	of, other := facts(a), facts(b)
	names := make([]string, 0, len(of))
	for _, f := range of {
		names = append(names, f.what)
	}
	for _, f := range other {
		if !slices.Contains(names, f.what) {
			names = append(names, f.what)
		}
	}
	var differences []Difference
	for _, name := range names {
		if left, right := of.value(name), other.value(name); left != right {
			differences = append(differences, Difference{name, left, right})
		}
	}
	return differences
}

// fact is one property of an environment, named for a reader.
type fact struct{ what, value string }

type factList []fact

func (l factList) value(what string) string {
	for _, f := range l {
		if f.what == what {
			return f.value
		}
	}
	return ""
}

// facts lists what an environment consists of, always in the same order.
func facts(e Environment) factList {
	m := e.Machine
	list := factList{
		{"host", m.Host},
		{"operating system", m.OS},
		{"architecture", m.Arch},
		{"kernel", m.Kernel},
		{"cpu", m.CPU},
		{"cores", strconv.Itoa(m.Cores)},
		{"usable cores", strconv.Itoa(m.UsableCores)},
		{"memory bytes", strconv.FormatInt(m.MemoryBytes, 10)},
	}
	add := func(what, value string) { list = append(list, fact{what, value}) }
	for i, g := range e.GPUs {
		gpu := fmt.Sprintf("gpu %d", i)
		add(gpu, g.Name)
		add(gpu+" backend", g.Backend)
		add(gpu+" architecture", g.Architecture)
		add(gpu+" driver", g.Driver)
		add(gpu+" memory bytes", strconv.FormatInt(g.MemoryBytes, 10))
	}
	for _, name := range slices.Sorted(maps.Keys(e.Versions)) {
		add(name, e.Versions[name])
	}
	if g := e.Git; g != nil {
		add("git commit", g.Commit)
		add("git branch", g.Branch)
		add("uncommitted changes", g.ChangesHash)
	}
	add("directory", e.Directory)
	for _, name := range slices.Sorted(maps.Keys(e.Variables)) {
		add("variable "+name, e.Variables[name])
	}
	return list
}
