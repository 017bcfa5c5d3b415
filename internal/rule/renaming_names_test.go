package rule

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// sortsOfNames are what can be renamed, each alone, and how. Each gives how many names it changed and the files that
// have another path.
var sortsOfNames = []struct {
	name   string
	rename func(*pyRepository) (int, map[string]string)
}{
	{"variables", (*pyRepository).renameVariables},
	{"parameters", (*pyRepository).renameParameters},
	{"functions", func(r *pyRepository) (int, map[string]string) { return r.renameDefinitions(boundByDef) }},
	{"classes", func(r *pyRepository) (int, map[string]string) { return r.renameDefinitions(boundByClass) }},
	{"methods", func(r *pyRepository) (int, map[string]string) { return r.renameMembers(true) }},
	{"fields", func(r *pyRepository) (int, map[string]string) { return r.renameMembers(false) }},
	{"files", (*pyRepository).renameFiles},
}

// renameVariables renames what only one file sees: what functions assign, and what modules assign that no other names.
func (r *pyRepository) renameVariables() (int, map[string]string) {
	names, seen := opaqueNames{}, map[string]bool{} // from outside
	starred := false
	r.each(func(f *pyFile, n pysrc.Node) {
		switch n := n.(type) {
		case *pysrc.Alias:
			seen[n.Name] = true
		case *pysrc.Attribute:
			if name, ok := n.Value.(*pysrc.Name); !ok || name.ID != "self" {
				seen[n.Attr] = true
			}
		}
		starred = starred || f.starred
	})
	for _, f := range r.files {
		for _, s := range f.scopes {
			s.eachUse(f, func(binder *pyScope, u pyUse) {
				_, class := binder.node.(*pysrc.ClassDef)
				_, module := binder.node.(*pysrc.Module)
				if class || !binder.free(u.name, boundByStore) || strings.Trim(u.name, "_") == "" || strings.HasPrefix(u.name, "__") ||
					module && (starred || seen[u.name] || r.words[u.name]) {
					return
				}
				f.rename(u.at, u.name, names.of(u.name))
			})
		}
	}
	return len(names), nil
}

// eachUse visits the names used in a scope with the scope that binds them.
func (s *pyScope) eachUse(_ *pyFile, visit func(binder *pyScope, u pyUse)) {
	for _, u := range s.uses {
		if binder := s.binder(u.name); binder != nil {
			visit(binder, u)
		}
	}
}

// keywordLibraries name their users' parameters on command lines and in settings files.
var keywordLibraries = []string{"fire", "gin", "click", "typer", "sacred", "hydra", "jsonargparse", "pytest", "jax", "flax"}

// renameParameters renames parameters, with the keywords of calls that are sure to be of the functions that have them.
func (r *pyRepository) renameParameters() (int, map[string]string) {
	type group struct{ has, fixed map[string]bool }
	groups := map[string]*group{}
	at := func(name string) *group {
		if groups[name] == nil {
			groups[name] = &group{map[string]bool{}, map[string]bool{}}
		}
		return groups[name]
	}
	classes := map[string]*pysrc.ClassDef{}
	r.each(func(_ *pyFile, n pysrc.Node) {
		if c, ok := n.(*pysrc.ClassDef); ok {
			classes[c.Name] = c
		}
	})
	constructor := func(name string) string {
		for range 10 {
			c := classes[name]
			if c == nil {
				break
			}
			for _, s := range c.Body {
				if d, ok := s.(*pysrc.FunctionDef); ok && d.Name == "__init__" {
					return "__init__ of " + name
				}
			}
			if len(c.Bases) != 1 {
				break
			}
			name = lastName(c.Bases[0])
		}
		return ""
	}
	groupOf := func(s *pyScope) string {
		d, ok := s.node.(*pysrc.FunctionDef)
		switch {
		case !ok:
			return ""
		case d.Name == "__init__":
			return "__init__ of " + s.class
		}
		return d.Name
	}
	blocked := map[string]bool{} // parameters whose keywords may be of anything
	for _, f := range r.files {
		by := slices.ContainsFunc(keywordLibraries, f.module.Imports)
		for _, s := range f.scopes {
			d, _ := s.node.(*pysrc.FunctionDef)
			for i, p := range s.params {
				name := string(f.parsed.Src[p.Start:p.End])
				g := at(groupOf(s))
				g.has[name] = true
				if d != nil && (by || i == 0 && s.class != "" || s.fixed[name] || s.fixed[""] || len(d.Decorators) > 0 && !plainlyDecorated(d) || r.protocol(f, s, d)) {
					g.fixed[name] = true
				}
			}
		}
	}
	type given struct {
		f *pyFile
		k *pysrc.Keyword
		g *group
	}
	var keywords []given
	unpacked := map[*group]bool{}
	r.each(func(f *pyFile, n pysrc.Node) {
		c, ok := n.(*pysrc.Call)
		if !ok || len(c.Keywords) == 0 {
			return
		}
		callee, name := lastName(c.Func), ""
		switch {
		case classes[callee] != nil:
			name = constructor(callee)
		case callee == "__init__":
			for _, k := range c.Keywords {
				blocked[k.Name] = true
			}
			return
		default:
			name = callee
		}
		g := groups[name]
		site := f.module.SiteAt(c)
		for _, k := range c.Keywords {
			switch {
			case k.Name == "" && g != nil:
				unpacked[g] = true
			case k.Name == "":
			case callee == "partial" || callee == "dict":
				blocked[k.Name] = true
			case g != nil && g.has[k.Name] && (classes[callee] != nil || isPlainName(c.Func) || site != nil && len(ownFunctions(site)) > 0):
				keywords = append(keywords, given{f, k, g})
			case site != nil && site.Calls.Name != "" && site.Calls.Func == nil && site.Calls.Class == nil && g == nil:
			default:
				blocked[k.Name] = true
			}
		}
	})
	for g := range unpacked {
		for name := range g.has {
			blocked[name] = blocked[name] || r.words[name]
		}
	}
	for _, k := range keywords {
		if k.g.fixed[k.k.Name] {
			blocked[k.k.Name] = true
		}
	}
	for _, g := range groups { // one group holds what is fixed, the others would differ from it
		for name := range g.fixed {
			if len(keywords) > 0 && slices.ContainsFunc(keywords, func(k given) bool { return k.k.Name == name }) {
				blocked[name] = true
			}
		}
	}
	names := opaqueNames{}
	free := func(f *pyFile, s *pyScope, name string) bool {
		return s.free(name, boundByParameter|boundByStore) && !blocked[name] && !groups[groupOf(s)].fixed[name] && name != "self" && name != "cls"
	}
	for _, f := range r.files {
		for _, s := range f.scopes {
			for _, p := range s.params {
				if name := string(f.parsed.Src[p.Start:p.End]); free(f, s, name) {
					f.rename(p.Start, name, names.of(name))
				}
			}
			s.eachUse(f, func(binder *pyScope, u pyUse) {
				if binder.binds[u.name]&boundByParameter != 0 && free(f, binder, u.name) {
					f.rename(u.at, u.name, names.of(u.name))
				}
			})
		}
	}
	for _, k := range keywords {
		if !blocked[k.k.Name] {
			k.f.rename(k.k.Start, k.k.Name, names.of(k.k.Name))
		}
	}
	return len(names), nil
}

// ownFunctions are the functions of the project that a call may be of.
func ownFunctions(s *project.Site) (list []*project.Function) {
	s.EachPossible(func(v *project.Value) {
		if v.Func != nil {
			list = append(list, v.Func)
		}
	})
	return list
}

func isPlainName(e pysrc.Expr) bool {
	_, ok := e.(*pysrc.Name)
	return ok
}

// plainlyDecorated reports decorators that call what they decorate with the arguments that it is given.
func plainlyDecorated(d *pysrc.FunctionDef) bool {
	return !slices.ContainsFunc(d.Decorators, func(e pysrc.Expr) bool {
		if c, ok := e.(*pysrc.Call); ok {
			e = c.Func
		}
		return !slices.Contains([]string{"staticmethod", "classmethod", "property", "abstractmethod", "no_grad", "inference_mode", "setter", "wraps", "override"}, lastName(e))
	})
}

// protocol reports a method that the base class of a library may ask for.
func (r *pyRepository) protocol(f *pyFile, s *pyScope, d *pysrc.FunctionDef) bool {
	if s.class == "" {
		return false
	}
	c := f.module.ClassAt(d.Start)
	return c == nil || !plainBase(c.LibraryBase()) || strings.HasPrefix(d.Name, "__") && d.Name != "__init__"
}

// plainBase reports a base class all of whose methods are known here.
func plainBase(name string) bool {
	switch name {
	case "", "torch.nn.Module", "torch.utils.data.Dataset", "torch.utils.data.IterableDataset", "enum.Enum", "Exception":
		return true
	}
	return false
}

// moduleMembers are those of torch.nn.Module and of the datasets.
var moduleMembers = map[string]bool{}

func init() {
	for _, name := range strings.Fields(`training forward train eval to cuda cpu float half double bfloat16 type apply parameters
		named_parameters buffers named_buffers modules named_modules children named_children register_buffer register_parameter
		register_module register_forward_hook register_forward_pre_hook register_full_backward_hook add_module state_dict load_state_dict
		zero_grad requires_grad_ share_memory extra_repr get_submodule get_parameter get_buffer get_extra_state set_extra_state to_empty compile dump_patches
		name value append extend insert items keys values update pop collate_fn`) {
		moduleMembers[name] = true
	}
}

// renameDefinitions renames functions or classes of modules and functions, and what imports them.
func (r *pyRepository) renameDefinitions(kind int) (int, map[string]string) {
	defined, barred := map[string]bool{}, map[string]bool{"main": false}
	for _, f := range r.files {
		for i, s := range f.scopes {
			if _, class := s.node.(*pysrc.ClassDef); class {
				for name := range s.binds {
					barred[name] = barred[name] || kind == boundByClass
				}
				continue
			}
			for name, bound := range s.binds {
				switch {
				case bound == kind && !s.fixed[name] && !s.fixed[""]:
					defined[name] = true
				case bound&kind != 0 || i == 0 && bound&boundByStore != 0:
					barred[name] = true
				}
			}
		}
	}
	r.each(func(f *pyFile, n pysrc.Node) {
		switch n := n.(type) {
		case *pysrc.ImportFrom:
			for _, a := range n.Names {
				barred[a.Name] = barred[a.Name] || !r.own(n)
				barred[a.Asname] = true
			}
		case *pysrc.Import:
			for _, a := range n.Names {
				barred[topPart(a.Name)], barred[a.Asname] = true, true
			}
		case *pysrc.Attribute:
			if defined[n.Attr] && !r.ofOwnModule(f, n) {
				if v := r.eval.Of(f.module, n.Value); v.Unknown() || v.Module != nil {
					barred[n.Attr] = barred[n.Attr] || kind == boundByClass || r.elsewhere[n.Attr] || v.Module != nil
				}
			}
		}
	})
	free := func(name string) bool {
		return defined[name] && !barred[name] && !r.words[name] && !strings.HasPrefix(name, "__")
	}
	names := opaqueNames{}
	for _, f := range r.files {
		for _, s := range f.scopes {
			for _, u := range s.uses {
				b := s.binder(u.name)
				if free(u.name) && (b == nil && f.starred || b != nil && (b.binds[u.name] == kind || b.binds[u.name] == boundByImport)) {
					f.rename(u.at, u.name, names.of(u.name))
				}
			}
		}
	}
	r.each(func(f *pyFile, n pysrc.Node) {
		switch n := n.(type) {
		case *pysrc.FunctionDef:
			if kind == boundByDef && free(n.Name) && !inClass(f, n) {
				f.rename(n.NameSpan.Start, n.Name, names.of(n.Name))
			}
		case *pysrc.ClassDef:
			if kind == boundByClass && free(n.Name) {
				f.rename(n.NameSpan.Start, n.Name, names.of(n.Name))
			}
		case *pysrc.ImportFrom:
			for _, a := range n.Names {
				if free(a.Name) {
					f.rename(a.Start, a.Name, names.of(a.Name))
				}
			}
		case *pysrc.Attribute:
			if free(n.Attr) && r.ofOwnModule(f, n) {
				f.rename(n.AttrStart, n.Attr, names.of(n.Attr))
			}
		}
	})
	return len(names), nil
}

// inClass reports a def that stands in the body of a class.
func inClass(f *pyFile, d *pysrc.FunctionDef) bool {
	return slices.ContainsFunc(f.scopes, func(s *pyScope) bool { return s.node == pysrc.Node(d) && s.class != "" })
}

// ofOwnModule reports module.name of a module of the repository.
func (r *pyRepository) ofOwnModule(f *pyFile, a *pysrc.Attribute) bool {
	v := r.eval.Of(f.module, a.Value)
	return v.Module != nil && v.Class == nil && v.Func == nil
}

// renameMembers renames methods or fields of the repository's own classes.
func (r *pyRepository) renameMembers(methods bool) (int, map[string]string) {
	ours, barred := map[string]bool{}, map[string]bool{}
	options := map[string]bool{} // owners of what command lines name: args
	for _, f := range r.files {
		for _, s := range f.scopes {
			def, ok := s.node.(*pysrc.ClassDef)
			if !ok {
				continue
			}
			c := f.module.ClassAt(def.Body[0].Bounds().Start)
			for name, bound := range s.binds {
				if bound == boundByDef && methods && c != nil && plainBase(c.LibraryBase()) && !s.fixed[name] {
					ours[name] = true
				} else {
					barred[name] = true
				}
			}
		}
	}
	r.each(func(f *pyFile, n pysrc.Node) {
		switch n := n.(type) {
		case *pysrc.Attribute:
			if isOwnSelf(f, n) && n.Ctx == pysrc.Store {
				if c := f.module.ClassAt(n.Start); c != nil && plainBase(c.LibraryBase()) && !methods {
					ours[n.Attr] = true
				} else {
					barred[n.Attr] = true
				}
			}
			if name, ok := n.Value.(*pysrc.Name); ok && r.words[n.Attr] && strings.Contains("args opt opts cfg config hparams flags conf options params hps hp FLAGS", name.ID) {
				options[name.ID] = true
			}
		case *pysrc.FunctionDef:
			if !methods || !inClass(f, n) || !plainlyDecorated(n) {
				barred[n.Name] = barred[n.Name] || inClass(f, n)
			}
		}
	})
	isOption := func(n *pysrc.Attribute) bool { return options[lastName(n.Value)] }
	r.each(func(f *pyFile, n pysrc.Node) {
		a, ok := n.(*pysrc.Attribute)
		if !ok || !ours[a.Attr] || barred[a.Attr] || isOwnSelf(f, a) || isOption(a) {
			return
		}
		v := r.eval.Of(f.module, a.Value)
		known := v.Class != nil && plainBase(v.Class.LibraryBase()) || v.Kind != 0 && v.Class == nil && v.Module == nil && !v.Unknown()
		if known && v.Class != nil && v.Class.Method(a.Attr) == nil && methods {
			known = false
		}
		if v.Class == nil && known {
			return // a library's object, which has members of its own
		}
		barred[a.Attr] = !known && (r.elsewhere[a.Attr] || v.Module != nil)
	})
	free := func(name string) bool {
		return ours[name] && !barred[name] && !moduleMembers[name] && !r.lookedUp(name) && !strings.HasPrefix(name, "__") &&
			!strings.HasPrefix(name, "forward") && !strings.HasPrefix(name, "visit_")
	}
	names := opaqueNames{}
	r.each(func(f *pyFile, n pysrc.Node) {
		switch n := n.(type) {
		case *pysrc.FunctionDef:
			if methods && free(n.Name) && inClass(f, n) {
				f.rename(n.NameSpan.Start, n.Name, names.of(n.Name))
			}
		case *pysrc.Attribute:
			if !free(n.Attr) || isOption(n) {
				return
			}
			if !isOwnSelf(f, n) {
				if v := r.eval.Of(f.module, n.Value); v.Class == nil && !v.Unknown() {
					return
				}
			}
			f.rename(n.AttrStart, n.Attr, names.of(n.Attr))
		}
	})
	for _, f := range r.files { // names of a class's body
		for _, s := range f.scopes {
			if _, ok := s.node.(*pysrc.ClassDef); ok && methods {
				for _, u := range s.uses {
					if s.binds[u.name] == boundByDef && free(u.name) {
						f.rename(u.at, u.name, names.of(u.name))
					}
				}
			}
		}
	}
	return len(names), nil
}

// isOwnSelf reports self.name or super().name in a class.
func isOwnSelf(f *pyFile, a *pysrc.Attribute) bool {
	if c, ok := a.Value.(*pysrc.Call); ok {
		return lastName(c.Func) == "super"
	}
	n, ok := a.Value.(*pysrc.Name)
	return ok && (n.ID == "self" || n.ID == "cls") && f.module.ClassAt(a.Start) != nil
}

// renameFiles gives modules other paths.
func (r *pyRepository) renameFiles() (int, map[string]string) {
	barred, stems, folders := map[string]bool{"setup": true, "conftest": true, "conf": true}, map[string]bool{}, map[string]bool{}
	for _, f := range r.files {
		stem := strings.TrimSuffix(filepath.Base(f.module.Path), ".py")
		stems[stem] = stems[stem] || !strings.HasPrefix(stem, "__") && !strings.HasPrefix(stem, "test")
		for dir := filepath.Dir(f.module.Path); len(dir) > len(r.root); dir = filepath.Dir(dir) {
			folders[filepath.Base(dir)] = true
		}
	}
	r.each(func(_ *pyFile, n pysrc.Node) {
		switch n := n.(type) {
		case *pysrc.ImportFrom:
			if !r.own(n) || n.Level == 0 && !folders[topPart(n.Module)] && !stems[topPart(n.Module)] {
				for _, part := range strings.Split(n.Module, ".") {
					barred[part] = true
				}
			}
		case *pysrc.Import:
			for _, a := range n.Names {
				parts := strings.Split(a.Name, ".")
				for _, part := range parts {
					barred[part] = barred[part] || len(parts) > 1 && a.Asname == "" || !r.tops[parts[0]]
				}
			}
		}
	})
	var scripts []byte
	for _, s := range r.project.Scripts {
		scripts = append(scripts, s.Text...)
	}
	for _, s := range r.project.Settings {
		scripts = append(scripts, s.Text...)
	}
	computed, static := false, map[string]bool{} // imports
	r.each(func(_ *pyFile, n pysrc.Node) {
		switch n := n.(type) {
		case *pysrc.ImportFrom:
			for _, part := range strings.Split(n.Module, ".") {
				static[part] = true
			}
			for _, a := range n.Names {
				static[a.Name] = true
			}
		case *pysrc.Call:
			computed = computed || lastName(n.Func) == "import_module" || lastName(n.Func) == "__import__"
		}
	})
	free := func(stem string) bool {
		if computed && !static[stem] {
			return false
		}
		if !stems[stem] || barred[stem] || folders[stem] || r.words[stem] && strings.Contains(string(scripts), stem+".py") {
			return false
		}
		return !r.words[stem] || !regexp.MustCompile(`[.]`+stem+`\b|\b`+stem+`[.]|-m `+stem).Match(scripts)
	}
	names, moved := opaqueNames{}, map[string]string{}
	for i, stem := range slices.Sorted(maps.Keys(stems)) { // the order of the files stays what it is
		if free(stem) {
			names[stem] = fmt.Sprintf("%s_zq%03d", stem[:1], i)
		}
	}
	for _, f := range r.files {
		rel, _ := filepath.Rel(r.root, f.module.Path)
		if stem := strings.TrimSuffix(filepath.Base(rel), ".py"); names[stem] != "" {
			moved[rel] = filepath.Join(filepath.Dir(rel), names[stem]+".py")
		}
	}
	dotted := func(f *pyFile, at int32, name string) {
		for _, part := range strings.Split(name, ".") {
			if names[part] != "" {
				f.rename(at, part, names[part])
			}
			at += int32(len(part)) + 1
		}
	}
	r.each(func(f *pyFile, n pysrc.Node) {
		switch n := n.(type) {
		case *pysrc.ImportFrom:
			if !r.own(n) {
				return
			}
			at := n.Start + int32(len("from"))
			for at < n.End && strings.IndexByte(" .\t", f.parsed.Src[at]) >= 0 {
				at++
			}
			if n.Module != "" && strings.HasPrefix(string(f.parsed.Src[at:]), n.Module) {
				dotted(f, at, n.Module)
			}
			for _, a := range n.Names {
				if names[a.Name] != "" && r.isModule(f, n, a) {
					f.rename(a.Start, a.Name, names[a.Name])
					if a.Asname == "" {
						f.edits[len(f.edits)-1].text += " as " + a.Name
					}
				}
			}
		case *pysrc.Import:
			for _, a := range n.Names {
				dotted(f, a.Start, a.Name)
				if a.Asname == "" && names[a.Name] != "" {
					f.edits[len(f.edits)-1].text += " as " + a.Name
				}
			}
		}
	})
	return len(names), moved
}

// isModule reports a name that an import takes from a folder and not from a file.
func (r *pyRepository) isModule(f *pyFile, from *pysrc.ImportFrom, a *pysrc.Alias) bool {
	folder := topPart(from.Module)
	if i := strings.LastIndexByte(from.Module, '.'); i >= 0 {
		folder = from.Module[i+1:]
	}
	for _, other := range r.files {
		if strings.TrimSuffix(filepath.Base(other.module.Path), ".py") == a.Name &&
			(filepath.Base(filepath.Dir(other.module.Path)) == folder || folder == "") {
			return true
		}
	}
	return false
}
