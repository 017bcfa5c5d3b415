package rule

import (
	"slices"
	"sync"

	"saturate/internal/pysrc"
)

// flatNode is a node of a tree that was laid out in a line, and where the first
// node that is not below it stands. Many rules go over a whole module, and a
// line is read several times faster than a tree is climbed.
type flatNode struct {
	node pysrc.Node
	next int32
}

// flatRoom holds the lists of modules that were judged already. Few modules are visited at a time.
var flatRoom = sync.Pool{New: func() any { return new([]flatNode) }}

// bytesPerNode is the text that a node of a tree has at least, but for one module in twenty: a list of that length seldom grows.
const bytesPerNode = 11

// flatten lays a tree out in the order in which Inspect visits it.
func flatten(root pysrc.Node, list []flatNode) []flatNode {
	list = slices.Grow(list, int(root.Bounds().End-root.Bounds().Start)/bytesPerNode)
	var enter func(pysrc.Node)
	enter = func(n pysrc.Node) {
		at := len(list)
		list = append(list, flatNode{node: n})
		pysrc.Children(n, enter)
		list[at].next = int32(len(list))
	}
	enter(root)
	return list
}
