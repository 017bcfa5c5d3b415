package offline

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// runtime is how a repaired project gets the code that reads and fills its cache: it imports saturate_gpu, or has a
// copy of what it needs.
type runtime struct {
	copied   string // the code in the project's own tree; empty where it imports saturate_gpu
	command  string // that fills the cache
	script   string
	root     string   // of the helper, as seen from the script's folder
	names    []string // functions of the helper that the project calls
	collates bool     // some of what is kept is made in the collate function
}

// helper is the module that says what is kept.
func (r runtime) helper(table string) string {
	setup := fmt.Sprintf("setup(\n    __file__,\n    %s,\n    {\n%s    },\n)\n", strconv.Quote(r.command), table)
	if r.copied != "" {
		return r.copied + "\n\n" + setup
	}
	return `"""What training reads from disk instead of computing it again in every epoch: saturate_gpu.offline explains how."""

from saturate_gpu.offline import ` + strings.Join(append(slices.Clone(r.names), "setup"), ", ") + `

__all__ = ["` + strings.Join(r.names, `", "`) + `"]

` + setup
}

// called are the functions of the helper that the edits of cuts call, sorted.
func called(cuts []*cut) []string {
	names := map[string]bool{}
	for _, c := range cuts {
		names["folder"] = names["folder"] || c.folder
		names["kept"] = names["kept"] || !c.folder
		names["drawn"] = names["drawn"] || len(c.draws) > 0
		for _, name := range []string{"first", "leading", "rest"} {
			names[name] = names[name] || c.applies != nil
		}
	}
	maps.DeleteFunc(names, func(_ string, is bool) bool { return !is })
	return slices.Sorted(maps.Keys(names))
}

// program is the script that fills the cache.
func (r runtime) program() string {
	load := "    import saturate_offline  # noqa: F401: says what is cached\n    from saturate_gpu import prepare\n\n    prepare"
	if r.copied != "" {
		load = "    import saturate_offline\n\n    saturate_offline"
	}
	return fmt.Sprintf(`"""Fills the cache that training reads. Run it once, before training; a run that was stopped resumes.

    %s
"""

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path[0] = str((Path(__file__).resolve().parent / %s).resolve())

%s.main(in_collate=%s)
`, r.command, strconv.Quote(r.root), load, literal(r.collates))
}
