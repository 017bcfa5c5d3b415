package rule

import (
	"saturate/internal/patch"
	"saturate/internal/pysrc"
)

// Replace gives the edit that writes text in place of a node.
func (p *SourcePass) Replace(n Node, text string) patch.Edit { return p.Module.Edit(n.Bounds(), text) }

// InsertBefore gives the edit that writes text before a node, and InsertAfter
// the one that writes it behind.
func (p *SourcePass) InsertBefore(n Node, text string) patch.Edit {
	at := n.Bounds().Start
	return p.Module.Edit(pysrc.Span{Start: at, End: at}, text)
}

// InsertAfter gives the edit that writes text behind a node.
func (p *SourcePass) InsertAfter(n Node, text string) patch.Edit {
	at := n.Bounds().End
	return p.Module.Edit(pysrc.Span{Start: at, End: at}, text)
}

// LineBefore gives the edit that writes a line of its own before the statement
// that holds the node (and its decorators), indented as the statement is.
func (p *SourcePass) LineBefore(n Node, line string) patch.Edit { return p.Module.LineBefore(n, line) }

// LineAfter gives the edit that writes a line of its own after the statement.
func (p *SourcePass) LineAfter(n Node, line string) patch.Edit { return p.Module.LineAfter(n, line) }

// RemoveStatement gives the edit that removes the statement that holds the node,
// with its line when it stands alone there, or writes pass where a block would be empty.
func (p *SourcePass) RemoveStatement(n Node) patch.Edit { return p.Module.RemoveStatement(n) }

// Import makes a library name usable in this module. It gives the expression to
// write for it ("tud.DataLoader", "os.cpu_count") and the edits that add an
// import, none when the module has one already.
func (p *SourcePass) Import(name string) (expr string, edits []patch.Edit) {
	return p.Module.ImportOf(name)
}

// SetArg gives the edit that sets an argument of a call where it is set, or adds it to the call.
func (c Call) SetArg(name, text string) patch.Edit { return c.Arg(name).SetTo(text) }
