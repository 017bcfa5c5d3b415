package project

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"saturate/internal/pysrc"
)

// definition is a class, function or method that may be unused.
type definition struct {
	module   *Module
	name     string
	span     pysrc.Span
	class    *Class    // nil for a function
	fn       *Function // nil for a class
	run      bool      // a program of the project imports its module
	mentions []mention
	alive    bool
	single   bool // a function, of whose module others import single names only
	orphan   bool // a class of a module that nothing imports, beside programs that train
}

// mention is a place where the project writes a definition's name.
type mention struct {
	module *Module // nil in a settings file or script
	at     int32
}

// mostMentions is how many mentions of a name are kept. A name that is written more often counts as used.
const mostMentions = 8

// findNamed finds the classes, functions and methods that a program of the project defines, and where the project names
// them: in modules, settings files and scripts, even in a string.
func (p *Project) findNamed() {
	named := map[string][]*definition{}
	p.defined = p.definitions()
	for _, d := range p.defined {
		named[d.name] = append(named[d.name], d)
	}
	library := p.isLibrary()
	lookedInto := p.lookedInto()
	var starts [256]uint64 // the lengths of the names that start with a byte, which rules most words out
	for name := range named {
		starts[name[0]] |= 1 << (len(name) & 63)
	}
	count := func(text []byte, own *Module) {
		eachWord(text, &starts, func(word []byte, at int32) {
			defined := named[string(word)]
			if len(defined) == 0 || own != nil && isProse(text, int(at), int(at)+len(word)) {
				return
			}
			for _, d := range defined {
				if !d.alive && (own != d.module || at < d.span.Start || at >= d.span.End) && (lookedInto[own] || !own.onlyImports(at, library)) && !own.isDocstring(at) && !d.isOther(own, at) && !d.cannotMean(text, own, int(at), int(at)+len(word)) {
					d.mentions = append(d.mentions, mention{own, at})
					d.alive = own == nil || len(d.mentions) > mostMentions
				}
			}
		})
	}
	if len(named) == 0 {
		return
	}
	for _, m := range p.Modules {
		count(m.Text, m)
	}
	for _, s := range p.Settings {
		count(s.Text, nil)
	}
	for _, s := range p.Scripts {
		count(s.Text, nil)
	}
	p.findCalledByOtherNames()
}

// findCalledByOtherNames finds what calls run whose name the project need not write: getattr(models, args.model)().
func (p *Project) findCalledByOtherNames() {
	called := map[any]bool{}
	for _, m := range p.Modules {
		if m.Role == Test {
			continue
		}
		for _, s := range m.Sites {
			written := lastName(s.Node.Func)
			s.EachPossible(func(v *Value) {
				switch {
				case v.Kind == Type && v.Class != nil && v.Class.Def.Name != written && !s.isSetTo(v.Class.Def.Name):
					called[v.Class] = true
				case v.Kind == Callable && v.Func != nil && v.Func.Class == nil && v.Func.BaseName() != written:
					called[v.Func] = true
				}
			})
		}
	}
	for _, d := range p.defined {
		d.alive = d.alive || d.class != nil && called[d.class] || d.fn != nil && called[d.fn]
	}
}

// isSetTo reports a call of a variable that a statement of its function sets to this name: norm = ActNorm.
func (s *Site) isSetTo(name string) bool {
	called, ok := s.Node.Func.(*pysrc.Name)
	if !ok {
		return false
	}
	_, b := s.scope().find(called.ID)
	for ; b != nil; b = b.prior {
		if b.Kind == Assigned && b.path == 0 && b.Value != nil && lastName(b.Value) == name {
			return true
		}
	}
	return false
}

// isProse reports a word beside which another stands, as in a comment or a title: "Decoder timestep". Code has a keyword
// or a sign there.
func isProse(text []byte, from, end int) bool {
	next := end
	for next < len(text) && text[next] == ' ' {
		next++
	}
	if to := next; next > end && to < len(text) && inName(text[to]) {
		for to < len(text) && inName(text[to]) {
			to++
		}
		return !keywords[string(text[next:to])]
	}
	last := from
	for last > 0 && text[last-1] == ' ' {
		last--
	}
	begin := last
	for begin > 0 && inName(text[begin-1]) {
		begin--
	}
	return last < from && begin < last && !keywords[string(text[begin:last])]
}

// keywords are the words of Python that may stand beside a name.
var keywords = setOf("and", "as", "assert", "await", "case", "class", "def", "del", "elif", "else", "except", "for", "from", "global", "if",
	"import", "in", "is", "lambda", "match", "nonlocal", "not", "or", "print", "raise", "return", "while", "with", "yield")

// selfTests are the functions that a module which others import defines for when it is started by itself, unless that
// trains.
func (p *Project) selfTests(m *Module) (list []pysrc.Span) {
	if !m.MainGuard || len(m.ImportedBy) == 0 || p.Starts(m) {
		return nil
	}
	for _, s := range m.File.Module.Body {
		guard, ok := s.(*pysrc.If)
		if !ok || !IsMainGuard(guard.Test) || p.trainsIn(m, guard.Body) {
			continue
		}
		for _, s := range guard.Body {
			if _, ok := s.(*pysrc.FunctionDef); ok {
				list = append(list, s.Bounds())
			}
		}
	}
	return list
}

// isOther reports a plain name in a module that stands for another definition of the same name there.
func (d *definition) isOther(m *Module, at int32) bool {
	if m == nil || m == d.module || at > 0 && m.Text[at-1] == '.' {
		return false
	}
	_, b := m.Block(m.BlockAt(at)).Scope.find(d.name)
	if b == nil || b.Scope != m.Scope && b.Kind != Imported && b.defined == nil {
		return false // a variable may hold it
	}
	for ; b != nil; b = b.prior { // either branch of an if may import it
		if !d.isOtherBy(b) {
			return false
		}
	}
	return true
}

// isOtherBy reports a binding of a definition's name to something else: from x import Second as First.
func (d *definition) isOtherBy(b *Binding) bool {
	if alias, ok := b.Node.(*pysrc.Alias); ok && b.from != nil && alias.Name != d.name {
		return true
	}
	return b.Kind != Imported || b.place.module != nil && b.place.module != d.module && b.place.module.Scope.last(d.name).definedHere()
}

// definedHere reports a name that a module defines itself.
func (b *Binding) definedHere() bool { return b != nil && b.Kind != Imported }

// findUnused finds the definitions that nothing else names, outside of modules that do not count: training never reaches
// their code. What only unused code names is unused too.
func (p *Project) findUnused(apart map[*Module]bool) {
	p.unused = map[*Module][]pysrc.Span{}
	for _, m := range p.Modules {
		p.unused[m] = slices.Concat(m.unreached, p.off[m])
		if p.idle[m] {
			p.unused[m] = append(p.unused[m], m.blocks[0].Span)
		}
		p.unused[m] = append(p.unused[m], p.selfTests(m)...)
	}
	p.unusedClasses = map[*Class]bool{}
	left := slices.Clone(p.defined)
	for changed := true; changed; {
		changed = false
		left = slices.DeleteFunc(left, func(d *definition) bool {
			if d.alive || apart[d.module] || slices.ContainsFunc(d.mentions, func(at mention) bool {
				return !apart[at.module] && !p.Unused(at.module, at.at)
			}) || p.isTraining(d.fn) && !p.trainsBeside(d.fn) && !p.trainsElsewhere(d.fn) {
				return d.alive
			}
			if d.run || d.orphan && p.trainsAnywhere() {
				p.unused[d.module] = append(p.unused[d.module], d.span)
			}
			if d.class != nil {
				p.unusedClasses[d.class] = true
			}
			changed = true
			return true
		})
	}
	for _, d := range left {
		if d.class != nil && !d.alive && d.run {
			p.findOverridden(d)
		}
	}
}

// trainsBeside reports a method beside another that trains, too, and that code outside their class calls: of a search for a
// learning rate and the training, what nothing names is not run.
func (p *Project) trainsBeside(f *Function) bool {
	if f.Class == nil {
		return false
	}
	for _, other := range f.Class.Methods {
		if other != f && p.leading[other] && slices.ContainsFunc(other.callers(), func(s *Site) bool { return s.Func.Class != f.Class }) {
			return true
		}
	}
	return false
}

// findOverridden finds the methods of a class that is only derived from, if each class that derives from it has its own.
func (p *Project) findOverridden(d *definition) {
	if len(d.class.subs) == 0 || slices.ContainsFunc(d.mentions, func(at mention) bool {
		class, ok := at.module.StatementAt(at.at).(*pysrc.ClassDef)
		return !ok || !slices.ContainsFunc(class.Bases, func(b pysrc.Expr) bool {
			return b.Bounds().Start <= at.at && at.at < b.Bounds().End
		})
	}) {
		return
	}
	for name, f := range d.class.Methods {
		if !strings.HasPrefix(name, "__") && f.Def != nil && !slices.ContainsFunc(d.class.subs, func(c *Class) bool {
			own := c.Methods[name]
			return own == nil || slices.ContainsFunc(own.Sites, func(s *Site) bool { return s.Method() == name }) // super().name()
		}) {
			p.unused[d.module] = append(p.unused[d.module], f.Def.Span)
		}
	}
}

// apartFromTraining lists the modules of programs that do not train, such as one that prepares data: they import nothing
// that trains, and nothing that does imports them.
func (p *Project) apartFromTraining() map[*Module]bool {
	trains := func(m *Module) bool {
		return m.Role == Training || m.Role != Test && (m.hasTrainingHook() || p.startsLoop(m))
	}
	if !slices.ContainsFunc(p.Modules, trains) {
		return nil
	}
	programs := map[*Module]bool{}
	for _, m := range p.Modules {
		if !m.starts() {
			continue
		}
		programs[m] = true
		for other := range p.importedFrom(func(other *Module) bool { return other == m }) {
			if trains(other) {
				delete(programs, m)
			}
		}
	}
	apart := p.importedFrom(func(m *Module) bool { return programs[m] })
	for m := range p.importedFrom(func(m *Module) bool { return !apart[m] }) {
		delete(apart, m)
	}
	return apart
}

// Unused reports whether an offset of a module lies in a class, function or method that nothing names, or in code that no
// run gets to.
func (p *Project) Unused(m *Module, at int32) bool {
	return anyHolds(p.unused[m], at)
}

// definitions lists what may be unused: what a program of the project defines under a plain name.
func (p *Project) definitions() (list []*definition) {
	lookedUp, byParts, byAttribute := false, false, false
	for _, m := range p.Modules {
		if m.Role != Test {
			byParts = byParts || m.looksUpAnywhere() && !m.looksUpInFull() || !p.looksInto(m, map[*Module]bool{})
			lookedUp = lookedUp || byParts || m.looksUpAnywhere()
			byAttribute = byAttribute || m.computesAttributes()
		}
	}
	run := p.importedFrom(func(m *Module) bool { return m.Role != Test && m.starts() })
	into, installed := p.lookedInto(), p.installed()
	for _, m := range p.Modules {
		orphan := !byParts && m.isOrphan(installed)
		if m.Role == Test || m.Outline || into[m] || lookedUp && !orphan && !p.importedByName(m) {
			continue
		}
		for _, c := range m.Classes {
			// A class with a forward has always been taken for a part of a program, whoever starts it.
			if len(c.Def.Decorators) == 0 && (run[m] || c.Methods["forward"] != nil) && !c.selfRegisters() {
				list = append(list, &definition{module: m, name: c.Def.Name, span: c.Def.Span, class: c, run: run[m], orphan: orphan})
			}
		}
		single := p.importedByName(m)
		for _, f := range m.Functions {
			if run[m] && !p.outlined && f.mayBeUnused(byAttribute) {
				list = append(list, &definition{module: m, name: f.Def.Name, span: f.Def.Span, fn: f, run: true, single: single && f.Class == nil})
			}
		}
	}
	return list
}

// mayBeUnused reports a function or method that only runs if the project names it. Libraries call methods of classes
// that derive from theirs, and users call what trains.
func (f *Function) mayBeUnused(byAttribute bool) bool {
	if f.Def == nil || len(f.Def.Decorators) > 0 || strings.HasPrefix(f.Def.Name, "__") || f.Def.Name == "forward" ||
		f.Outer != f.Module.Main || f.Class != nil && f.steps() && !f.stepsBeside() {
		return false
	}
	if f.Class == nil {
		return true
	}
	switch f.Class.LibraryBase() {
	case "", "torch.nn.Module", "torch.utils.data.Dataset":
		return !byAttribute
	}
	return false
}

// steps reports a function that steps an optimizer or starts a trainer.
func (f *Function) steps() bool {
	return slices.ContainsFunc(f.Sites, func(s *Site) bool { return isStep(s) || s.startsTrainer() })
}

// stepsBeside reports a method beside another that steps, too.
func (f *Function) stepsBeside() bool {
	if f.Class == nil {
		return false
	}
	for _, other := range f.Class.Methods {
		if other != f && other.steps() {
			return true
		}
	}
	return false
}

// selfRegisters reports a class that defining it may make known: by a metaclass, or by a base that is told of its heirs.
func (c *Class) selfRegisters() bool {
	found := len(c.Def.Keywords) > 0
	c.each(func(c *Class) bool {
		found = found || c.Methods["__init_subclass__"] != nil || len(c.Def.Keywords) > 0
		return !found
	})
	return found
}

// starts reports a module that is a program.
func (m *Module) starts() bool { return m.MainGuard || m.runsAtImport() }

// importedFrom lists the modules that are chosen, and what they import.
func (p *Project) importedFrom(chosen func(*Module) bool) map[*Module]bool {
	list := map[*Module]bool{}
	var queue []*Module
	for _, m := range p.Modules {
		if chosen(m) {
			list[m] = true
			queue = append(queue, m)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		for _, other := range queue[0].ImportsFrom {
			if !list[other] {
				list[other] = true
				queue = append(queue, other)
			}
		}
	}
	return list
}

// importedByName reports a module of which others import single names, and never the module itself or all of it: who
// looks names up elsewhere does not find what it holds.
func (p *Project) importedByName(m *Module) bool {
	for _, user := range m.ImportedBy {
		if slices.ContainsFunc(user.starred, func(at place) bool { return at.module == m }) {
			return false
		}
		for _, b := range user.imported {
			alias := b.Node.(*pysrc.Alias)
			switch {
			case b.from == nil && b.place.module == m:
				return false
			case b.from != nil && b.place.folder != "" && p.inFolder(b.place.folder, alias.Name).module == m:
				return false
			}
		}
	}
	return len(m.ImportedBy) > 0
}

// onlyImports reports an offset in an import that keeps the name: importing alone does not use it. The __init__ of a
// library imports for others to use.
func (m *Module) onlyImports(at int32, library bool) bool {
	if m == nil || library && strings.HasSuffix(slashed(m.Path), "/__init__.py") {
		return false
	}
	from, ok := m.StatementAt(at).(*pysrc.ImportFrom)
	return ok && from.Start <= at && at < from.End && !slices.ContainsFunc(from.Names, func(a *pysrc.Alias) bool {
		return a.Asname != "" && a.Start <= at && at < a.End
	})
}

// isDocstring reports an offset in a string that is a statement by itself.
func (m *Module) isDocstring(at int32) bool {
	if m == nil {
		return false
	}
	s, ok := m.StatementAt(at).(*pysrc.ExprStmt)
	if ok {
		_, ok = pysrc.StringValue(s.Value)
	}
	return ok
}

// isLibrary reports a project that others may install and import: it says how to build it.
func (p *Project) isLibrary() bool {
	builds := func(file string) bool {
		base := path.Base(slashed(file))
		return base == "setup.py" || base == "pyproject.toml"
	}
	return slices.ContainsFunc(p.Modules, func(m *Module) bool { return builds(m.Path) }) ||
		slices.ContainsFunc(p.Settings, func(s *Settings) bool { return builds(s.Path) })
}

// computesAttributes reports getattr(object, name) with a name that is computed: it may be that of any method.
func (m *Module) computesAttributes() bool {
	return slices.ContainsFunc(m.Sites, func(s *Site) bool {
		name, ok := s.Node.Func.(*pysrc.Name)
		if !ok || name.ID != "getattr" || len(s.Node.Args) < 2 {
			return false
		}
		_, constant := pysrc.StringValue(s.Node.Args[1])
		return !constant
	})
}

// eachWord tells of the identifiers in a text that are not in a comment, and where they start, if starts has their length
// for their first byte.
func eachWord(text []byte, starts *[256]uint64, tell func(word []byte, at int32)) {
	for i := 0; i < len(text); i++ {
		c := text[i]
		if !isWordByte[c] {
			if c == '#' {
				end := bytes.IndexByte(text[i:], '\n')
				if end < 0 {
					return
				}
				i += end
			}
			continue
		}
		from := i
		for i++; i < len(text) && isWordByte[text[i]]; i++ {
		}
		if starts[c]&(1<<((i-from)&63)) != 0 {
			tell(text[from:i], int32(from))
		}
		i-- // it may start a comment
	}
}

// isWordByte has the bytes that words are made of.
var isWordByte = func() (table [256]bool) {
	for b := range table {
		table[b] = inName(byte(b)) || b >= 0x80
	}
	return table
}()
