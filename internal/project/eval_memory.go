package project

import (
	"math"
	"slices"
)

// gap is what was left out of an answer. Questions under way have numbers from 1, the outermost first.
type gap struct {
	back  int     // the outermost question under way that the answer led back to, or whole
	inner int     // no question within this one was led back to; 0 if none was at all
	round bool    // some part led back to a question, perhaps one that is answered by now
	deep  bool    // something lay too deep
	long  bool    // the steps ran out
	calls uint8   // it holds only for the n-th call that functions are read for, if bit n is set; only for none, if bit 0; see readThrough
	on    hangsOn // only for relink
}

// whole is the back of an answer that led back to no question around it.
const whole = math.MaxInt

func (g gap) none() bool { return !g.round && !g.deep && !g.long }

// both is what was left out of two answers, and what they hang on.
func (e *Eval) both(g, other gap) gap {
	on := g.on
	if e.hangsOn != nil {
		on = e.hangsOn.join(g.on, other.on)
	}
	return gap{min(g.back, other.back), max(g.inner, other.inner), g.round || other.round, g.deep || other.deep, g.long || other.long, g.calls | other.calls, on}
}

// remembered is an answer, once it is known.
type remembered struct {
	value *Value
	busy  int // its number among the questions under way, from 1; 0 if it is not asked
	known answered
}

// answered is how far an answer is remembered. An answer that met a limit is given again unless who asks may go twice as
// deep or twice as many steps: most such questions are recursive, and going a little further answers no more of them. An
// answer that led back to questions around it is given again as long as those are under way.
type answered struct {
	ever        bool
	gap         gap
	depth, left int32  // at which depth it was asked, and with how many steps left
	within      uint32 // the serial number of the question gap.inner
}

// serves reports whether a remembered answer is as good as a new one, and notes what it leaves out.
func (a *answered) serves(e *Eval, depth int) bool {
	g := &a.gap
	if !a.ever || g.deep && mostDeep-depth > 2*(mostDeep-int(a.depth)) || g.long && e.steps > 2*int(a.left) ||
		g.back != whole && (g.inner > len(e.open) || e.open[g.inner-1] != a.within) {
		return false
	}
	e.gap = e.both(e.gap, *g)
	return true
}

// note is what to keep of an answer that was asked at a depth, with that many steps left.
func (e *Eval) note(depth, left int) answered {
	a := answered{ever: true, gap: e.gap, depth: int32(depth), left: int32(left)}
	if e.gap.back != whole {
		a.within = e.open[e.gap.inner-1]
	}
	return a
}

// tooFar reports whether a limit is met, which the answer leaves out.
func (e *Eval) tooFar() bool {
	e.gap.deep = e.gap.deep || e.depth > mostDeep
	e.gap.long = e.gap.long || e.steps <= 0
	return e.depth > mostDeep || e.steps <= 0
}

// memory holds the answers to one kind of question.
type memory[K comparable] struct {
	all  table[K]
	here map[K]*remembered // what holds only for the calls that functions are read for; see readThrough
}

// ask answers a question that may lead back to itself, and remembers the answer.
func (m *memory[K]) ask(e *Eval, key K, answer func() Value) Value {
	through := len(e.through) > 0
	r := m.all.at(key)
	if through {
		if r != nil && r.known.gap.calls == 0 && r.known.serves(e, e.depth) {
			return *r.value
		}
		r = m.here[key]
	}
	if r == nil {
		r = e.answers.new()
		switch {
		case !through:
			m.all.put(key, r)
		case m.here == nil:
			m.here = map[K]*remembered{key: r}
		default:
			m.here[key] = r
		}
	}
	if r.known.serves(e, e.depth) {
		return *r.value
	}
	if r.busy > 0 {
		e.backTo(r.busy)
		return Value{}
	}
	if e.tooFar() {
		return Value{}
	}
	outer, left := e.gap, e.steps
	e.gap, r.busy = gap{back: whole}, e.ask()
	e.depth++
	v := answer()
	e.depth--
	e.close()
	r.busy = 0
	r.known, r.value = e.note(e.depth, left), nothing
	if v.Kind != Unknown || len(v.Either) > 0 { // most are not known, and need no room
		r.value = e.values.new()
		*r.value = v
	}
	if through && e.gap.calls == 0 {
		if known := m.all.at(key); known == nil || known.busy == 0 {
			m.all.put(key, r)
		}
	}
	e.gap = e.both(e.gap, outer)
	return v
}

func (m *memory[K]) forget() {
	m.here = nil
	m.all.forget()
}

// table finds what is remembered of a question.
type table[K comparable] interface {
	at(K) *remembered // nil if it was not asked
	put(K, *remembered)
	forget()
}

type tableByKey[K comparable] map[K]*remembered

func (t tableByKey[K]) at(key K) *remembered     { return t[key] }
func (t tableByKey[K]) put(key K, r *remembered) { t[key] = r }
func (t tableByKey[K]) forget()                  { clear(t) }

// tableOfBindings has a place for each variable, by the numbers of its module and its own: no question is asked more often.
type tableOfBindings struct {
	modules [][]*remembered
	used    []*Module
}

func (t *tableOfBindings) at(b *Binding) *remembered {
	m := b.Scope.Module
	if m.Number >= len(t.modules) || int(b.number) >= len(t.modules[m.Number]) {
		return nil
	}
	return t.modules[m.Number][b.number]
}

func (t *tableOfBindings) put(b *Binding, r *remembered) {
	m := b.Scope.Module
	if m.Number >= len(t.modules) {
		t.modules = append(t.modules, make([][]*remembered, m.Number+1-len(t.modules))...)
	}
	if len(t.modules[m.Number]) == 0 {
		t.modules[m.Number] = slices.Grow(t.modules[m.Number], m.bindings)[:m.bindings]
		t.used = append(t.used, m)
	}
	t.modules[m.Number][b.number] = r
}

func (t *tableOfBindings) forget() {
	for _, m := range t.used {
		list := t.modules[m.Number]
		clear(list)
		t.modules[m.Number] = list[:0]
	}
	clear(t.used)
	t.used = t.used[:0]
}

// begin marks a question as under way. It returns false if it is already: the answer leaves it out then.
func (e *Eval) begin(key any) bool {
	if at := e.busy[key]; at > 0 {
		e.backTo(at)
		return false
	}
	e.busy[key] = e.ask()
	return true
}

// end is called when a question that began is answered.
func (e *Eval) end(key any) {
	e.close()
	delete(e.busy, key)
}

// backTo notes that the answer leaves out a question that is under way.
func (e *Eval) backTo(question int) {
	e.gap.back, e.gap.inner, e.gap.round = min(e.gap.back, question), max(e.gap.inner, question), true
}

// ask opens a question and returns its number.
func (e *Eval) ask() int {
	e.asked++
	e.open = append(e.open, e.asked)
	return len(e.open)
}

// close ends the innermost question. An answer that led back to that question alone is complete.
func (e *Eval) close() {
	n := len(e.open)
	if e.gap.back >= n {
		e.gap.back, e.gap.inner = whole, 0
	} else {
		e.gap.inner = min(e.gap.inner, n-1)
	}
	e.open = e.open[:n-1]
}

// once guards against values that refer to themselves, and caches nothing.
func (e *Eval) once(key any, answer func() Value) Value {
	if !e.begin(key) {
		return Value{}
	}
	e.depth++
	v := answer()
	e.depth--
	e.end(key)
	return v
}
