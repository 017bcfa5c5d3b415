package repair

import (
	"slices"
	"strings"

	"saturate/internal/patch"
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// fillBlocks writes pass where the patches together remove every statement of a block. Each of them was made for a
// block that keeps another statement; only together do they leave one that Python does not read. The edits of the
// patches are changed, and must be the caller's own.
func fillBlocks(p *project.Project, patches []patch.Patch) {
	removals := map[string][]*patch.Edit{}
	for _, one := range patches {
		for i, e := range one.Edits {
			if e.Start < e.End && strings.TrimSpace(e.Text) == "" {
				removals[e.Path] = append(removals[e.Path], &one.Edits[i])
			}
		}
	}
	for _, m := range p.Modules {
		if len(removals[m.Path]) < 2 {
			continue
		}
		pysrc.Inspect(m.File.Module, func(n pysrc.Node) bool {
			for _, block := range blocksOf(n) {
				fillBlock(m, block, removals[m.Path])
			}
			return true
		})
	}
}

// fillBlock puts pass in the place of a statement of a block when all of them are removed.
func fillBlock(m *project.Module, block []pysrc.Stmt, removals []*patch.Edit) {
	by := map[*patch.Edit][]pysrc.Stmt{}
	for _, s := range block {
		whole := m.Edit(s.Bounds(), "")
		at := slices.IndexFunc(removals, func(e *patch.Edit) bool {
			return whole.Path != "" && e.Start <= whole.Start && whole.End <= e.End
		})
		if at < 0 {
			return
		}
		by[removals[at]] = append(by[removals[at]], s)
	}
	for _, e := range removals {
		if len(by[e]) == 1 {
			if fill := m.Edit(by[e][0].Bounds(), "pass"); fill.Path != "" {
				*e = fill
				return
			}
		}
	}
}

// blocksOf are the lists of statements in a node that must not be empty in Python.
func blocksOf(n pysrc.Node) [][]pysrc.Stmt {
	switch n := n.(type) {
	case *pysrc.FunctionDef:
		return [][]pysrc.Stmt{n.Body}
	case *pysrc.ClassDef:
		return [][]pysrc.Stmt{n.Body}
	case *pysrc.For:
		return [][]pysrc.Stmt{n.Body, n.Orelse}
	case *pysrc.While:
		return [][]pysrc.Stmt{n.Body, n.Orelse}
	case *pysrc.If:
		return [][]pysrc.Stmt{n.Body, n.Orelse}
	case *pysrc.With:
		return [][]pysrc.Stmt{n.Body}
	case *pysrc.Try:
		return [][]pysrc.Stmt{n.Body, n.Orelse, n.Finalbody}
	case *pysrc.ExceptHandler:
		return [][]pysrc.Stmt{n.Body}
	case *pysrc.MatchCase:
		return [][]pysrc.Stmt{n.Body}
	}
	return nil
}
