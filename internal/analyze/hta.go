package analyze

import (
	"math"
	"strings"

	"saturate/internal/trace"
)

// HTA (Holistic Trace Analysis) drops the last step of a trace: of two or more
// ProfilerSteps it takes the latest start, be it on the host or on the GPU, and keeps only
// work that was launched before it. With --hta we do the same, so that the figures can be
// compared. What HTA does besides is not copied: it rounds to microseconds, and takes host
// operators of compiled code for GPU work because they carry a stream number.

// htaCut is the instant before which work must have been launched.
func (v *view) htaCut() int64 {
	cut, different := int64(math.MinInt64), map[trace.NameID]bool{}
	for id := range v.t.OfKind(trace.Annotation, trace.GPUAnnotation, trace.CPUOp) {
		if v.means(id, isStep) && strings.HasPrefix(v.t.Name(id), "ProfilerStep#") {
			different[v.t.NameID(id)] = true
			cut = max(cut, v.t.Start(id))
		}
	}
	if len(different) < 2 {
		return math.MaxInt64
	}
	return cut
}

// launchedInTime reports whether a piece of GPU work counts.
func (v *view) launchedInTime(id trace.EventID) bool {
	if v.cut == math.MaxInt64 {
		return true
	}
	call, ok := v.t.Launch(id)
	return ok && v.t.Start(call) < v.cut
}
