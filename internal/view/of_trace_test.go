package view

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"saturate/internal/analyze"
	"saturate/internal/finding"
	"saturate/internal/report"
)

// sampleAnalysis has something of everything that can be shown.
func sampleAnalysis() analyze.Analysis {
	steps := []analyze.Step{
		{Number: 4, StartNS: 5e9, EndNS: 6e9, ComputeNS: 3e8, DataLoadingNS: 6e8, LaunchNS: 1e8},
		{Number: 5, StartNS: 6e9, EndNS: 7e9, ComputeNS: 4e8, DataLoadingNS: 5e8, LaunchNS: 1e8},
	}
	return analyze.Analysis{
		Verdict: analyze.Verdict{Bottleneck: analyze.ByData, Sentence: "The GPU was idle 65% of the time.", Confidence: 0.9},
		Trace:   analyze.Source{Path: "a<b>.json", Format: "chrome", Rank: 1, GPU: "GPU of a test"},
		Window:  analyze.Window{StartNS: 5e9, EndNS: 7e9, Steps: 2, StepsFrom: "annotation train_step"},
		GPUs: []analyze.GPU{{
			BusyRatio:   0.35,
			Span:        analyze.Span{SpanNS: 2e9, BusyNS: 7e8, IdleNS: 13e8, ComputeNS: 7e8, Kernels: 2},
			IdleByCause: []analyze.IdleCause{{Cause: "data_loading", NS: 11e8, Gaps: 2, Place: "enumerate(DataLoader)#X.__next__"}, {Cause: "launch", NS: 2e8, Gaps: 9}},
			Streams:     []analyze.Stream{{Stream: 7, BusyNS: 7e8, HostWaitNS: 13e8, Kernels: 2}},
			LongestGaps: []analyze.Gap{{StartNS: 5e9, EndNS: 56e8, Cause: "data_loading", Place: "load", Next: "void at::native::fill<int>(int)"}},
			GapLengths:  []int64{6e8, 5e8, 1e3}, Busy: []float64{0, 0.5, 1},
		}},
		Steps:         steps,
		Transfers:     []analyze.Transfer{{Kind: "H2D", Memory: "pageable", Count: 3, Bytes: 5e6, TotalNS: 1e6, GBPerS: 5}},
		Syncs:         []analyze.Sync{{Place: "aten::item", Count: 2, PerStep: 1, HostNS: 3e6}},
		Kernels:       []analyze.Kernel{{Name: "void at::native::(anonymous namespace)::softmax<float>(float*)", Count: 2, TotalNS: 7e8, Share: 1, TensorCores: analyze.NoTensorCores, Operator: "aten::softmax", TFLOPPerS: 12}},
		Operators:     []analyze.Operator{{Name: "aten::softmax", Count: 2, DeviceSelfNS: 7e8}},
		Launch:        analyze.Launch{Calls: 2, Kernels: 2, Graphs: 1, ByCall: []analyze.Call{{Name: "cudaLaunchKernel", Count: 2, NS: 1e4}}},
		Communication: &analyze.Communication{TotalNS: 1e8, OverlapNS: 5e7, Overlap: 0.5, Collectives: []analyze.Collective{{Name: "all_reduce", Count: 2, TotalNS: 1e8}}},
		Memory: analyze.Memory{
			Recorded: true, PeakBytes: 3e9, PeakAtNS: 6e9, ReservedBytes: 4e9, Held: []analyze.Holder{{Operator: "aten::linear", Bytes: 2e9, Blocks: 4}},
			Spikes: []analyze.Spike{{AtNS: 6e9, Bytes: 1e9, Operator: "aten::softmax"}},
			Curve:  []analyze.MemoryPoint{{At: 5e9, Allocated: 1e9, Reserved: 4e9}, {At: 6e9, Allocated: 3e9, Reserved: 4e9}, {At: 7e9, Allocated: 1e9, Reserved: 4e9}},
		},
		Ranks: &analyze.Ranks{World: 2, Sentence: "Rank 0 waits for rank 1.", Slowest: 1, SkewNS: 2e7, Explained: 1, Rows: []analyze.Rank{{Rank: 0, Path: "job/r0.json", Bottleneck: analyze.ByCommunication, BusyRatio: 0.5}, {Rank: 1, Path: "job/r1 b.json", Bottleneck: analyze.ByData, BusyRatio: 0.35}}},
		Quality: analyze.Quality{
			Events: 100, Dropped: 2, Truncated: true, Notes: []string{"the file ends in the middle of event 101"},
		},
		Findings: []finding.Finding{{
			Code: "TRC101", Name: "loader", Severity: finding.Error, Message: "The GPU waits.", Why: "Because.", Advice: "Do.",
			When: &finding.Interval{StartNS: 5e9, EndNS: 56e8}, Estimate: &finding.Estimate{SecondsPerStep: 0.55, Basis: "measured"},
		}},
	}
}

// The page speaks of one GPU, and of the largest saving.
func TestFiguresOfTrace(t *testing.T) {
	a := sampleAnalysis()
	second := a.GPUs[0]
	second.Device = 1
	a.GPUs = append(a.GPUs, second) // with as much work as the first, of which the sentence speaks
	larger := a.Findings[0]
	larger.Code, larger.Severity, larger.Estimate = "TRC112", finding.Warning, &finding.Estimate{SecondsPerStep: 0.9}
	a.Findings = append(a.Findings, larger)
	figures := traceView{Analysis: a}.figures()
	if f := figures[0]; !strings.Contains(f.Note, "GPU 0") {
		t.Errorf("%+v", f)
	}
	if f := figures[len(figures)-1]; f.Value != "900 ms" || !strings.Contains(f.Note, "TRC112") {
		t.Errorf("%+v", f)
	}
}

// Of several GPUs the one is explained that the sentence speaks of; the others are evidence.
func TestCausesOfSeveralGPUs(t *testing.T) {
	a := sampleAnalysis()
	other := a.GPUs[0]
	other.Device = 1
	a.GPUs = append(a.GPUs, other)
	a.Trace.Device = 1
	detail := map[string]bool{}
	for _, b := range OfTrace(a, TraceOptions{Brief: true}).Blocks {
		detail[b.Heading] = b.Detail
	}
	main, ok := detail["Why GPU 1 was idle"]
	folded, also := detail["Why GPU 0 was idle"]
	if !ok || main || !also || !folded {
		t.Errorf("%v", detail)
	}
}

// Shares of idle time say what they are counted of, alike in every format.
func TestWhatSharesCount(t *testing.T) {
	a := sampleAnalysis()
	a.Window.StepsFrom = "profiler"
	for format, wants := range map[string][]string{
		"text":     {"GPU busy              35%  rank 1, GPU 0, GPU of a test, from its first to last activity", "GPU idle per step  650 ms  rank 1, 65% of the step"},
		"markdown": {"GPU 0, GPU of a test, from its first to last activity", "65% of the step"},
		"html":     {"GPU 0, GPU of a test, from its first to last activity", "65% of the step"},
		"json":     {`"busy_ratio": 0.35`, `"device": 0`},
	} {
		var b bytes.Buffer
		if err := report.Render(&b, OfTrace(a, TraceOptions{Brief: true}), format, report.Options{Width: 120}); err != nil {
			t.Fatal(err)
		}
		for _, want := range wants {
			if !strings.Contains(strings.ReplaceAll(b.String(), "<wbr>", ""), want) {
				t.Errorf("%s does not say %q:\n%s", format, want, b.String())
			}
		}
		if format != "json" && !strings.Contains(b.String(), "Busy is the share of the time from each GPU") {
			t.Errorf("%s does not say what the ranks' table counts", format)
		}
	}
}

// A page about several traces is not titled with one of them.
func TestTitleOfTrace(t *testing.T) {
	paths := func(list ...string) *analyze.Ranks {
		r := &analyze.Ranks{World: len(list), Slowest: -1, Explained: 1}
		for i, p := range list {
			r.Rows = append(r.Rows, analyze.Rank{Rank: i, Path: p})
		}
		return r
	}
	doubtful := paths("day/1.json", "day/2.json")
	doubtful.Notes = []string{"recordings of one process"}
	for _, tt := range []struct {
		ranks        *analyze.Ranks
		title, again string
	}{
		{nil, "Trace a<b>.json", "'a<b>.json'"},
		{paths("job/r0.json", "job/r1.json"), "Traces of 2 ranks in job", "--rank 1 job/r0.json job/r1.json"},
		{paths("j/0", "j/1", "j/2", "j/3", "j/4"), "Traces of 5 ranks in j", "--rank 1 j"},
		{paths("r0.json", "r1.json"), "Traces of 2 ranks, r0.json to r1.json", "--rank 1 r0.json r1.json"},
		{paths("a/t.json", "b/t.json"), "Traces of 2 ranks, a/t.json to b/t.json", "--rank 1 a/t.json b/t.json"},
		{doubtful, "2 traces in day", "'a<b>.json'"},
	} {
		a := sampleAnalysis()
		a.Ranks = tt.ranks
		r := OfTrace(a, TraceOptions{Brief: true})
		if r.Title != tt.title {
			t.Errorf("titled %q, want %q", r.Title, tt.title)
		}
		if want := "saturate analyze --details findings " + tt.again + " "; !strings.HasPrefix(r.Next[0], want) {
			t.Errorf("%q does not begin with %q", r.Next[0], want)
		}
		if c := CompareTraces(analyze.Compare(a, a)); !strings.HasSuffix(tt.title, strings.Split(c.Title, " vs ")[1]) {
			t.Errorf("a comparison is titled %q, a page %q", c.Title, tt.title)
		}
	}
}

// Without savings, nothing is said of them.
func TestSavingsOfTrace(t *testing.T) {
	a := sampleAnalysis()
	nothing := a.Findings[0]
	nothing.Estimate = nil
	a.Findings = append(a.Findings, nothing)
	if foot := (traceView{Analysis: a}).helpBlock()[0].Table.Foot; foot != "The saving is an upper bound per step." {
		t.Error(foot)
	}
	a.Findings = a.Findings[1:]
	if foot := (traceView{Analysis: a}).helpBlock()[0].Table.Foot; foot != "" {
		t.Error(foot)
	}
}

// A part has one colour on the whole page, though not every bar shows every part.
func TestColoursOfParts(t *testing.T) {
	a := sampleAnalysis()
	a.Steps = []analyze.Step{{EndNS: 1e6, H2DNS: 5e5, ComputeNS: 5e5}, {Number: 1, StartNS: 1e6, EndNS: 1e9, ComputeNS: 999e6}}
	v := traceView{Analysis: a}
	fill := func(b report.Block) string {
		_, rest, _ := strings.Cut(b.Plot.SVG(), "compute: ")
		return regexp.MustCompile(`.*class="(f\d)`).FindStringSubmatch(b.Plot.SVG()[:len(b.Plot.SVG())-len(rest)])[1]
	}
	if mean, each := fill(v.stepBlocks()[0]), fill(v.perStep()[0]); mean != each {
		t.Errorf("compute is %s in the mean step and %s in each", mean, each)
	}
}

// Memory is drawn over the same time as everything else.
func TestMemoryCurve(t *testing.T) {
	a := sampleAnalysis()
	a.Memory.Curve = a.Memory.Curve[1:2]
	a.Memory.Curve = append(a.Memory.Curve, analyze.MemoryPoint{At: 61e8, Allocated: 1e9})
	p := traceView{Analysis: a}.memoryCurve()
	if got := p.Every * float64(len(p.Series[0].Values)); got < 1.99 || got > 2.01 {
		t.Errorf("drawn over %g s of a trace of 2 s", got)
	}
}

func TestOfTrace(t *testing.T) {
	always := []string{
		"The GPU was idle 65% of the time.", "train_step", "55% waiting for data", "waiting for data", "X.__next__", "TRC101", "550 ms",
		"the file ends in the middle of event 101", "Rank 0 waits for rank 1.", "Rank 1: The GPU was idle", "rank 1, GPU 0", "Everything below is about rank 1", "communication",
	}
	inDetail := []string{
		"Longest gaps", "fill<int>", "softmax<float>", "aten::softmax", "pageable", "aten::item", "cudaLaunchKernel", "GPU 0 stream 7", "all_reduce", "aten::linear", "2.79 GiB",
		"Because.", "0–600 ms into the trace", "Memory over time", "GPU busy over time", "Gap lengths", "Time of each step",
	}
	for _, tt := range []struct {
		format  string
		opt     TraceOptions
		details bool
	}{
		{"text", TraceOptions{Brief: true}, false},
		{"text", TraceOptions{Brief: true, Details: []string{"all"}}, true},
		{"markdown", TraceOptions{}, true},
		{"html", TraceOptions{}, true},
	} {
		var b bytes.Buffer
		if err := report.Render(&b, OfTrace(sampleAnalysis(), tt.opt), tt.format, report.Options{Width: 100}); err != nil {
			t.Fatal(err)
		}
		text := strings.NewReplacer(`\_`, "_", "&lt;", "<", "&gt;", ">", `\<`, "<", `\>`, ">", "<wbr>", "", "\n  ", " ").Replace(b.String())
		for _, want := range always {
			if !strings.Contains(text, want) {
				t.Errorf("%s %+v does not show %q", tt.format, tt.opt, want)
			}
		}
		for _, want := range inDetail {
			if strings.Contains(text, want) != tt.details && want != "Longest gaps" {
				t.Errorf("%s %+v: shows %q = %v", tt.format, tt.opt, want, !tt.details)
			}
		}
	}
}

func TestOfTraceOutcome(t *testing.T) {
	a := sampleAnalysis()
	if r := OfTrace(a, TraceOptions{}); r.Outcome != report.Found || r.Tone != report.Bad {
		t.Errorf("outcome %v, tone %v", r.Outcome, r.Tone)
	}
	a.Findings = nil
	if r := OfTrace(a, TraceOptions{}); r.Outcome != report.Done {
		t.Errorf("outcome %v without findings", r.Outcome)
	}
	empty := OfTrace(analyze.Analysis{Verdict: analyze.Verdict{Bottleneck: analyze.ByNothing, Sentence: "Nothing."}}, TraceOptions{})
	for _, format := range report.Formats() {
		if err := report.Render(&bytes.Buffer{}, empty, format, report.Options{}); err != nil {
			t.Errorf("%s of an empty analysis: %v", format, err)
		}
	}
}

func TestKernelName(t *testing.T) {
	for name, want := range map[string]string{
		"void at::native::(anonymous namespace)::f<float>(float*)": "f<float>",
		"Memcpy HtoD (Pageable -> Device)":                         "Memcpy HtoD (Pageable -> Device)",
		"nvjet_sm90":                                               "nvjet_sm90",
		"":                                                         "",
	} {
		if got := kernelName(name); got != want {
			t.Errorf("%q becomes %q, want %q", name, got, want)
		}
	}
}
