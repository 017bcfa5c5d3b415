package view

import (
	"bytes"
	"strings"
	"testing"

	"saturate/internal/analyze"
	"saturate/internal/report"
)

func rendered(t *testing.T, r report.Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.Render(&b, r, "text", report.Options{Details: true}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A trace without a GPU shows what the host did, and no zeros of a GPU that is not there.
func TestTraceWithoutAGPU(t *testing.T) {
	a := analyze.Analysis{
		Verdict:   analyze.Verdict{Bottleneck: analyze.ByNothing, Sentence: "No GPU.", Confidence: 1},
		Operators: []analyze.Operator{{Name: "aten::mm", Count: 3, HostSelfNS: 5e6, HostTotalNS: 5e6}},
		Memory:    analyze.Memory{Recorded: true, PeakBytes: 1000, PeakAtNS: 3e6, Allocations: 2},
		Ranks: &analyze.Ranks{World: 2, Slowest: -1, Rows: []analyze.Rank{
			{Rank: 0, Steps: 2, StepNS: 7e6, DataLoadingNS: 1e6}, {Rank: 1, Steps: 2, StepNS: 8e6, DataLoadingNS: 2e6},
		}},
	}
	r := OfTrace(a, TraceOptions{Brief: true})
	text := rendered(t, r)
	for _, want := range []string{"aten::mm", "7.00 ms", "2.00 ms", "it is unknown which rank waits for which", "Rank 0: No GPU.", "Everything below is about rank 0"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
	for _, never := range []string{"0 s", " 0 B", "GPU self", "Busy", "Bottleneck", "Communication", "makes the others wait"} {
		if strings.Contains(text, never) {
			t.Errorf("%q in:\n%s", never, text)
		}
	}
	if r.Outcome != report.Done {
		t.Errorf("outcome %v", r.Outcome)
	}
	a.Ranks.Sentence, a.Ranks.Slowest, a.Ranks.Explained, a.Ranks.Recordings, a.Ranks.Rows[0].CommunicationNS = "Rank 0 waits for rank 1.", 1, 1, 2, 3e6
	text = rendered(t, OfTrace(a, TraceOptions{Brief: true}))
	for _, want := range []string{"Rank 0 waits for rank 1.\nRank 1: No GPU.", "Communication", "3.00 ms", "recorded 2 times; this is the last", "Everything below is about rank 1"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
	a.Verdict.Confidence = 0
	if r := OfTrace(a, TraceOptions{}); r.Outcome != report.Undecided {
		t.Errorf("a trace that shows nothing: outcome %v", r.Outcome)
	}
}

// A comparison of equal traces has no tables of zeros, and one with an empty trace no figures.
func TestCompareWithoutADifference(t *testing.T) {
	side := analyze.Side{NS: 5e6, BusyNS: 4e6, IdleNS: 1e6, Verdict: analyze.Verdict{Sentence: "Busy."}}
	same := []analyze.Change{{Name: "k", MatchedBy: "name", BeforeNS: 7, AfterNS: 7}}
	if text := rendered(t, CompareTraces(analyze.Comparison{Before: side, After: side, Kernels: same, Operators: same})); strings.Contains(text, "Kernels") {
		t.Error(text)
	}
	for _, c := range []analyze.Comparison{{Before: side}, {After: side}, {}} {
		if text := rendered(t, CompareTraces(c)); !strings.Contains(text, "Nothing to compare: ") || strings.Contains(text, "0 s") {
			t.Error(text)
		}
	}
	for _, tt := range []struct {
		share float64
		want  string
	}{{0.5, "50%"}, {-0.5, "−50%"}, {-0.0001, "<0.1%"}, {0.0001, "<0.1%"}} {
		if got := shareText(tt.share); got != tt.want {
			t.Errorf("%g: %q, want %q", tt.share, got, tt.want)
		}
	}
	if got := kernelName("void unrolled_elementwise_kernel<direct_copy_kernel_cuda(at::TensorIteratorBase&)>(int)"); got != "unrolled_elementwise_kernel<direct_copy_kernel_cuda…" {
		t.Error(got)
	}
}
