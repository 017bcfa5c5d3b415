package project

import (
	"math/bits"
	"slices"

	"saturate/internal/pysrc"
)

// Scope holds the names of a module, a class body or a function.
type Scope struct {
	Module *Module
	Parent *Scope
	// Func is the function whose names these are, Class the class; for a module both are nil.
	Func  *Function
	Class *Class

	latest *Binding // the others are before it
	count  int      // of bindings
	marks  uint64   // a bit for each name; see markOf
	heads  heads    // the last binding of each name, once there are many
}

// Binding is one place where a name gets a value.
type Binding struct {
	Name string
	Kind BindingKind
	// At is where it takes effect, Block the block it stands in.
	At     int32
	Block  BlockID
	hash   uint32 // of the name; see hashOfName
	number int32  // in its module, from 0
	Scope  *Scope
	// Node is the Alias, FunctionDef, ClassDef, Arg, Assign, For, … that binds.
	Node pysrc.Node
	// Value is what is assigned, iterated or entered; nil for others.
	Value pysrc.Expr

	path trail // place in an unpacked value
	*defined
	before *Binding // the one before it in the scope
	prior  *Binding // the one of the same name before it
}

// trail is a place in an unpacked value: a, (b, c) = value has c at 1, 1. It holds
// a byte for each level, the outermost lowest; what nests deeper than eight is cut.
type trail uint64

func (t trail) then(i int) trail {
	depth := (bits.Len64(uint64(t)) + 7) / 8
	return t | trail(min(i, 127)+2)<<(8*depth)
}

// and is a way that goes on by another one.
func (t trail) and(more trail) trail {
	depth := (bits.Len64(uint64(t)) + 7) / 8
	return t | more<<(8*depth)
}

// first is the place in the outermost value, -1 for what a star takes.
func (t trail) first() int { return int(t&0xff) - 2 }

func (t trail) rest() trail { return t >> 8 }

// annotation is what is written behind the colon, or nil.
func (b *Binding) annotation() pysrc.Expr {
	switch n := b.Node.(type) {
	case *pysrc.Arg:
		return n.Annotation
	case *pysrc.AnnAssign:
		return n.Annotation
	}
	return nil
}

// defined is what a def, class or import binds; other bindings have none.
type defined struct {
	func_ *Function
	class *Class
	from  *pysrc.ImportFrom // of an Alias, nil for a plain import
	place place             // what an import leads to, in the project
}

// BindingKind is how a name gets its value.
type BindingKind uint8

const (
	Assigned   BindingKind = iota
	Imported               // import, from … import
	Defined                // def
	ClassNamed             // class
	Parameter              // of a function or lambda
	Iterated               // for, comprehension
	Entered                // with … as
	Caught                 // except … as, match
	Augmented              // +=
	Annotated              // x: int, without a value
	Deleted                // del
)

// few is how many bindings are searched one by one before a table pays.
const few = 16

// last returns the last binding of a name in this scope, or nil.
func (s *Scope) last(name string) *Binding { return s.lastOf(name, hashOfName(name)) }

func (s *Scope) lastOf(name string, hash uint32) *Binding {
	if s.marks&markOf(hash) == 0 { // most names that are looked for in a function are of the module around it
		return nil
	}
	if s.heads != nil {
		return *s.heads.slot(name, hash)
	}
	for b := s.latest; b != nil; b = b.before {
		if b.hash == hash && b.Name == name {
			return b
		}
	}
	return nil
}

// all lists the bindings in order.
func (s *Scope) all() []*Binding {
	list := make([]*Binding, 0, s.count)
	for b := s.latest; b != nil; b = b.before {
		list = append(list, b)
	}
	slices.Reverse(list)
	return list
}

func (s *Scope) bind(b *Binding) {
	b.Scope = s
	b.hash = hashOfName(b.Name)
	b.prior = s.lastOf(b.Name, b.hash)
	b.before, s.latest = s.latest, b
	s.marks |= markOf(b.hash)
	s.count++
	switch {
	case s.heads != nil:
		if 4*s.count > 3*len(s.heads) {
			s.heads = headsOf(s.latest, 2*s.count)
		} else {
			*s.heads.slot(b.Name, b.hash) = b
		}
	case s.count > few:
		s.heads = headsOf(s.latest, 2*few)
	}
}

// find returns the scope that holds a name, seen from this one: the function's
// own, then those around it, class bodies left out.
func (s *Scope) find(name string) (*Scope, *Binding) {
	hash := hashOfName(name)
	for here := s; here != nil; here = here.Parent {
		if here.Class != nil && here != s {
			continue
		}
		if b := here.lastOf(name, hash); b != nil {
			return here, b
		}
	}
	return nil, nil
}

// reaching returns the bindings of a name that a use at the offset may see,
// nearest first. In the scope itself these are the last one before the use that
// is sure to have run, and those after it that may have. From an inner function
// every binding may be seen. The list is built in the given buffer.
func (s *Scope) reaching(list []*Binding, name string, use *Scope, at int32) []*Binding {
	b := s.last(name)
	if use != s {
		for ; b != nil; b = b.prior {
			if !s.Module.visible(b, at) {
				continue
			}
			list = append(list, b)
			if b.Kind != Augmented && b.Kind != Deleted && b.Block == s.body() {
				break
			}
		}
		return list
	}
	m := s.Module
	useBlock := BlockID(-1)
	for ; b != nil; b = b.prior {
		if b.At > at || !m.visible(b, at) {
			continue
		}
		if useBlock < 0 {
			useBlock = m.BlockAt(at)
		}
		if m.exclusive(b.Block, useBlock) {
			continue
		}
		list = append(list, b)
		if b.Kind != Augmented && b.Kind != Deleted && m.holds(b.Block, useBlock) {
			break
		}
	}
	if len(list) == 0 { // used before it is set, as in a loop's second turn
		for b = s.last(name); b != nil; b = b.prior {
			if m.visible(b, at) {
				list = append(list, b)
			}
		}
	}
	return list
}

// visible reports whether a binding can be seen at the offset: the names of a
// comprehension are seen in it alone.
func (m *Module) visible(b *Binding, at int32) bool {
	if b.Kind != Iterated {
		return true
	}
	comp, ok := b.Node.(pysrc.Expr)
	return !ok || comp.Bounds().Contains(int(at))
}

// exclusive reports whether two blocks are different arms of one if.
func (m *Module) exclusive(a, b BlockID) bool {
	for a != b {
		if a < b {
			a, b = b, a
		}
		other := m.blocks[a]
		a = other.Parent
		if _, ok := other.Owner.(*pysrc.If); !ok || a < 0 {
			continue
		}
		for arm := b; arm > a; arm = m.blocks[arm].Parent {
			if m.blocks[arm].Owner == other.Owner && m.blocks[arm].Arm != other.Arm {
				return true
			}
		}
	}
	return false
}

// body is the block of the scope's own statements.
func (s *Scope) body() BlockID {
	switch {
	case s.Func != nil:
		return s.Func.body
	case s.Class != nil:
		return s.Class.body
	}
	return 0
}
