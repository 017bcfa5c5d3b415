package open

import (
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
