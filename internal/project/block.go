package project

import "saturate/internal/pysrc"

// BlockID is a Block of its module: an index into a list in source order.
type BlockID int32

// Block is a run of statements that run together or not at all: the body of a loop, one arm of an if, a function. A
// comprehension is a Block too.
type Block struct {
	Span   pysrc.Span
	Parent BlockID    // -1 for the module's top level
	Owner  pysrc.Node // the For, If, With, Try, FunctionDef, … whose arm it is
	Arm    Arm
	Func   *Function
	Scope  *Scope
}

// Arm is the part of its owner that a Block is.
type Arm uint8

const (
	Body    Arm = iota
	Else        // of an if, for, while or try
	Handler     // except
	Finally
)

// BlockAt returns the innermost block that holds the offset.
func (m *Module) BlockAt(offset int32) BlockID {
	lo, hi := 0, len(m.blocks) // the first that starts behind the offset
	for lo < hi {
		if mid := int(uint(lo+hi) >> 1); m.blocks[mid].Span.Start > offset {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	id := BlockID(lo - 1)
	for id > 0 && offset >= m.blocks[id].Span.End {
		id = m.blocks[id].Parent
	}
	return max(id, 0)
}

// EachOwner visits what holds blocks: loops, branches, functions, comprehensions, in the order of their bodies.
func (m *Module) EachOwner(visit func(pysrc.Node)) {
	for i := range m.blocks {
		if m.blocks[i].Arm == Body {
			visit(m.blocks[i].Owner)
		}
	}
}

// Block returns a block by its number.
func (m *Module) Block(id BlockID) *Block { return &m.blocks[id] }

// FunctionAt returns the innermost function that holds the offset.
func (m *Module) FunctionAt(offset int32) *Function { return m.blocks[m.BlockAt(offset)].Func }

// ClassAt returns the class whose body holds the offset, directly or in a method.
func (m *Module) ClassAt(offset int32) *Class {
	for id := m.BlockAt(offset); id >= 0; id = m.blocks[id].Parent {
		if s := m.blocks[id].Scope; s.Class != nil {
			return s.Class
		}
		if f := m.blocks[id].Func; f.Class != nil {
			return f.Class
		}
	}
	return nil
}

// around calls visit for each block that holds the offset within its function,
// innermost first, until visit returns false.
func (m *Module) around(offset int32, visit func(*Block) bool) {
	id := m.BlockAt(offset)
	for fn := m.blocks[id].Func; id >= 0 && m.blocks[id].Func == fn; id = m.blocks[id].Parent {
		if !visit(&m.blocks[id]) {
			return
		}
	}
}

// Around visits the statements around an offset within its function, the innermost first, until visit returns false.
func (m *Module) Around(offset int32, visit func(owner pysrc.Node) bool) {
	m.around(offset, func(b *Block) bool { return visit(b.Owner) })
}

// isLoop reports whether a block runs again and again: the body of a for or while.
func (b *Block) isLoop() bool {
	if b.Arm != Body {
		return false
	}
	switch b.Owner.(type) {
	case *pysrc.For, *pysrc.While:
		return true
	}
	return false
}

// LoopAround returns the innermost for or while around a node in its function, or nil.
func (m *Module) LoopAround(n interface{ Bounds() pysrc.Span }) pysrc.Stmt {
	var loop pysrc.Stmt
	m.around(n.Bounds().Start, func(b *Block) bool {
		if b.isLoop() {
			loop = b.Owner.(pysrc.Stmt)
		}
		return loop == nil
	})
	return loop
}

// holds reports whether inner is outer or lies in it.
func (m *Module) holds(outer, inner BlockID) bool {
	for inner > outer {
		inner = m.blocks[inner].Parent
	}
	return inner == outer
}
