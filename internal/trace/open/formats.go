package open

import (
	"slices"
	"strings"

	"saturate/internal/trace"
	"saturate/internal/trace/chrome"
	"saturate/internal/trace/nsys"
	"saturate/internal/trace/perfetto"
	"saturate/internal/trace/rocprof"
	"saturate/internal/trace/xplane"
)

// formats are all importers, in the order in which they are asked: those that recognise
// their files most surely come first.
var formats = []trace.Importer{
	nsys.Importer,
	rocprof.Importer,
	xplane.Importer,
	perfetto.Importer,
	chrome.Importer,
}

// endings are those of all formats, in the order of the list.
func endings() []string {
	var list []string
	for _, f := range formats {
		for _, ending := range f.Endings {
			if !slices.Contains(list, ending) {
				list = append(list, ending)
			}
		}
	}
	return list
}

// isTraceName reports whether a file's name is that of a trace.
func isTraceName(name string) bool {
	name = strings.ToLower(name)
	name = strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")
	return slices.ContainsFunc(endings(), func(ending string) bool { return strings.HasSuffix(name, ending) })
}
