package project

// starredOutside tells what a name that nothing in sight binds is of the libraries that a module imports with a star: of the
// only one, or of the one that is known to have it.
func (e *Eval) starredOutside(id string, m *Module) (Value, bool) {
	if len(m.stars) == 0 || len(m.stars) != len(m.starred) {
		return Value{}, false
	}
	only, known, count := "", "", 0
	for i, from := range m.stars {
		if from.Level > 0 || m.starred[i].found() {
			continue
		}
		count++
		only = from.Module + "." + id
		if known == "" && libraryHas(canonical(only)) {
			known = only
		}
	}
	switch {
	case known != "":
		return e.lib(known).value, true
	case count == 1 && len(m.stars) == 1:
		return e.lib(only).value, true
	}
	return Value{}, false
}

// libraryHas reports a name of a library that this package knows something of.
func libraryHas(name string) bool {
	return libraryBase(name) != "" || signatures[name] != nil || contains(trainers, name)
}
