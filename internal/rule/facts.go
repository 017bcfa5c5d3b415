package rule

import (
	"slices"
	"strings"
	"sync"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// moduleFacts are what rules have asked about a module already. They are the same for every rule.
type moduleFacts struct {
	sites *siteTable
	index *siteTables   // of all modules
	open  map[open]bool // see enters

	// Each of these once a rule has asked for it.
	near          []*project.Module
	nearSet       moduleSet // see NearSays
	acts          *bool     // see learnsByActing
	half          *halfPrecision
	versions      *project.Versions
	nodes         *[]flatNode // see Inspect
	tokenisations []tokenisation
	moves         []hostMove
	reads         []readBack                       // see readsBack
	subscripts    []*pysrc.Subscript               // see StepSubscripts
	loops         []*pysrc.For                     // see stepLoops
	tables        map[*project.Function]int        // see weightOfFunction
	hoisted       map[string]int                   // see ownName
	oneTensor     map[*pysrc.Name]bool             // see isOneTensor
	weightsAsked  map[string]bool                  // see hasParameters
	trained       *trainedWeights                  // see trainedParts
	layers        *modelLayers                     // see trainedLayers
	freezes       *[]freezing                      // see freezings
	compilers     *compilers                       // see compilersNear
	others        map[*project.Module]*moduleFacts // of this module and those that it asked about; see In
	asked         *SourcePass                      // the last one that In gave for this module
	said          map[*Rule]*judge
	failures      []project.Warning // see apply
	passes        *passStore        // of the module that is judged
}

// rulePass is what one rule works with in one module. A module's are allocated together, and used again for the next one.
type rulePass struct {
	pass  SourcePass
	judge judge
}

// manyRules is about how many rules there are.
const manyRules = 200

// passStore hands out what rules work with in the module that is judged and in those that they ask about there.
type passStore struct {
	chunks [][]rulePass
	used   int
}

// passRoom holds those of modules that were judged already.
var passRoom = sync.Pool{New: func() any { return new(passStore) }}

func (s *passStore) new() *rulePass {
	if s.used == len(s.chunks)*manyRules {
		s.chunks = append(s.chunks, make([]rulePass, manyRules))
	}
	s.used++
	return &s.chunks[(s.used-1)/manyRules][(s.used-1)%manyRules]
}

func (s *passStore) release() {
	for i, left := 0, s.used; left > 0; i, left = i+1, left-manyRules {
		clear(s.chunks[i][:min(left, manyRules)])
	}
	s.used = 0
	passRoom.Put(s)
}

// factRoom holds the tables of modules that were judged already, to be used again.
var factRoom = sync.Pool{New: func() any { return &moduleFacts{} }}

func gather(m *project.Module, index *siteTables) *moduleFacts {
	f := factRoom.Get().(*moduleFacts)
	f.sites, f.index = index.of(m), index
	return f
}

// gatherAll is gather for the module that is judged, which may ask about others.
func gatherAll(m *project.Module, index *siteTables) *moduleFacts {
	f := gather(m, index)
	f.others = map[*project.Module]*moduleFacts{m: f}
	f.open = map[open]bool{}
	f.passes = passRoom.Get().(*passStore)
	return f
}

// releaseAll gives the tables of all those modules back. No list that was made from them is in use then.
func (f *moduleFacts) releaseAll() {
	f.passes.release()
	for _, each := range f.others {
		each.release()
	}
}

func (f *moduleFacts) release() {
	if list := f.nodes; list != nil {
		clear(*list)
		*list = (*list)[:0]
		flatRoom.Put(list)
	}
	clear(f.said)
	*f = moduleFacts{said: f.said}
	factRoom.Put(f)
}

// siteTables are those of the modules of a project. Modules are asked about each other, so all passes of a run share them.
type siteTables struct {
	tables   []siteTable // by the number of the module
	saying   sync.Map    // words, and the modules that say them
	rollouts sync.Map    // functions, and whether rollsOut

	besideTraining func() map[*project.Function]bool
}

func tablesOf(p *project.Project) *siteTables {
	tables := make([]siteTable, len(p.Modules))
	for i, m := range p.Modules {
		tables[i].module = m
	}
	return &siteTables{tables: tables, besideTraining: sync.OnceValue(func() map[*project.Function]bool { return calledByTraining(p) })}
}

func (t *siteTables) of(m *project.Module) *siteTable { return &t.tables[m.Number] }

// siteTable lists the calls of a module by what they call, once somebody asks.
type siteTable struct {
	module     *project.Module
	once       sync.Once
	byName     siteIndex
	byMethod   siteIndex
	byClass    siteIndex         // constructions, by every class that is made
	byInstance siteIndex         // calls x(…) of an object x, by every class that it is of
	tops       map[string]bool   // the first parts of the names in byName
	ends       *project.NameEnds // of the names in byName
	prefixes   sync.Map          // see below
	actsOnce   sync.Once
	acts       bool // see stepsEnvironment
}

// below returns the names of byName that follow a prefix and a dot.
func (t *siteTable) below(prefix string) (names []string) {
	if top, _, _ := strings.Cut(prefix, "."); !t.tops[top] {
		return nil
	}
	if known, ok := t.prefixes.Load(prefix); ok {
		return known.([]string)
	}
	for callee := range t.byName.last {
		if rest, ok := strings.CutPrefix(callee, prefix); ok && strings.HasPrefix(rest, ".") {
			names = append(names, callee)
		}
	}
	t.prefixes.Store(prefix, names)
	return names
}

// stepsEnvironment reports a module that acts in an environment.
func (t *siteTable) stepsEnvironment() bool {
	t.actsOnce.Do(func() {
		t.acts = slices.ContainsFunc(t.module.Sites, func(s *project.Site) bool { return stepsEnvironment(t.module, s) })
	})
	return t.acts
}

func (p *SourcePass) sites() *siteTable {
	t := p.shared.sites
	t.once.Do(t.fill)
	return t
}

func (t *siteTable) fill() {
	t.tops, t.ends = map[string]bool{}, project.NoNames()
	t.byName.expect(len(t.module.Sites))
	t.byMethod.expect(len(t.module.Sites))
	for i, s := range t.module.Sites {
		if method := s.Method(); method != "" {
			t.byMethod.add(method, i)
		}
		if s.Calls.Kind == project.Unknown && len(s.Calls.Either) == 0 {
			continue
		}
		s.EachPossible(func(v *project.Value) {
			if v.Name != "" {
				t.byName.add(v.Name, i)
				t.ends.Add(v.Name)
				top, _, _ := strings.Cut(v.Name, ".")
				t.tops[top] = true
			}
			switch v.Kind {
			case project.Type:
				v.EachAncestor(func(name string) { t.byClass.add(name, i) })
			case project.Instance:
				v.EachAncestor(func(name string) { t.byInstance.add(name, i) })
			}
		})
	}
}

// siteIndex lists calls by a name, in chains: most names are never asked for, so
// that a list for each would cost more than it gives.
type siteIndex struct {
	last  map[string]int32 // the last link of each chain, from 1
	links []siteLink
}

type siteLink struct {
	site   int32 // its place among those of the module
	before int32 // 0 at the end of a chain
}

// expect makes room for calls, about a fifth of which have a name of their own.
func (x *siteIndex) expect(calls int) {
	x.last = make(map[string]int32, calls/5)
	x.links = make([]siteLink, 0, calls)
}

func (x *siteIndex) add(name string, site int) {
	if x.last == nil {
		x.last = map[string]int32{}
	}
	x.links = append(x.links, siteLink{int32(site), x.last[name]})
	x.last[name] = int32(len(x.links))
}

// calls adds the calls of a name to a list, in order.
func (p *SourcePass) calls(list []Call, x *siteIndex, name string) []Call {
	from := len(list)
	for at := x.last[name]; at > 0; at = x.links[at-1].before {
		list = append(list, Call{p.Module.Sites[x.links[at-1].site], p})
	}
	slices.Reverse(list[from:])
	return list
}
