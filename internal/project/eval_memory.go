package project

import "math"

// gap is what was left out of an answer.
type gap struct {
	back  int  // the number of the outermost question under way that the answer led back to, or whole
	round bool // some part led back to a question, perhaps one that is answered by now
	deep  bool // something lay too deep
	long  bool // the steps ran out
}

// whole is the back of an answer that led back to no question around it.
const whole = math.MaxInt

func (g gap) none() bool { return !g.round && !g.deep && !g.long }

func (g gap) and(other gap) gap {
	return gap{min(g.back, other.back), g.round || other.round, g.deep || other.deep, g.long || other.long}
}

// remembered is an answer, once it is known.
type remembered struct {
	value *Value
	busy  int // its number among the questions under way, from 1; 0 if it is not asked
	known answered
}

// answered is how far an answer is remembered. An answer that met a limit is given again to those who ask from the same
// depth or deeper, or with no more steps left: they would learn less.
type answered struct {
	ever              bool
	round, deep, long bool  // as in gap
	depth, left       int32 // at which depth it was asked, and with how many steps left
}

// serves reports whether a remembered answer is as good as a new one.
func (a *answered) serves(e *Eval, depth int) bool {
	return a.ever && (!a.deep || depth >= int(a.depth)) && (!a.long || e.steps <= int(a.left))
}

// answers is the note to keep of an answer that was asked at a depth, with that many steps left.
func (g gap) answers(depth, left int) answered {
	return answered{ever: g.back == whole, round: g.round, deep: g.deep, long: g.long, depth: int32(depth), left: int32(left)}
}

// tooFar reports whether a limit is met, which the answer leaves out.
func (e *Eval) tooFar() bool {
	e.gap.deep = e.gap.deep || e.depth > mostDeep
	e.gap.long = e.gap.long || e.steps <= 0
	return e.depth > mostDeep || e.steps <= 0
}

// work answers a question that may lead back to itself. An answer that leads back to a question around it holds only while
// that one is asked, and is not remembered.
func (e *Eval) work(r *remembered, answer func() Value) Value {
	if r.known.serves(e, e.depth) {
		e.recall(&r.known)
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
	e.frames++
	e.gap, r.busy = gap{back: whole}, e.frames
	e.depth++
	v := answer()
	e.depth--
	e.close()
	r.busy = 0
	if r.known = e.gap.answers(e.depth, left); r.known.ever {
		r.value = nothing
		if v.Kind != Unknown || len(v.Either) > 0 { // most are not known, and need no room
			r.value = e.values.new()
			*r.value = v
		}
	}
	e.gap = e.gap.and(outer)
	return v
}

// begin marks a question as under way. It returns false if it is already: the answer leaves it out then.
func (e *Eval) begin(key any) bool {
	if at := e.busy[key]; at > 0 {
		e.backTo(at)
		return false
	}
	e.frames++
	e.busy[key] = e.frames
	return true
}

// end is called when a question that began is answered.
func (e *Eval) end(key any) {
	e.close()
	delete(e.busy, key)
}

// backTo notes that the answer leaves out a question that is under way.
func (e *Eval) backTo(question int) {
	e.gap.back, e.gap.round = min(e.gap.back, question), true
}

// recall notes what a remembered answer leaves out.
func (e *Eval) recall(known *answered) {
	e.gap = e.gap.and(gap{whole, known.round, known.deep, known.long})
}

// close ends the innermost question. An answer that led back to that question alone is complete.
func (e *Eval) close() {
	if e.gap.back >= e.frames {
		e.gap.back = whole
	}
	e.frames--
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

// entryOf returns the cache entry of a key, and creates it if needed.
func entryOf[K comparable](e *Eval, m map[K]*remembered, key K) *remembered {
	r := m[key]
	if r == nil {
		r = e.answers.new()
		m[key] = r
	}
	return r
}
