package analyze

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"saturate/internal/finding"
	_ "saturate/internal/rule" // the source rules that trace rules point to
	"saturate/internal/trace"
)

// loop makes steps of 2 ms in which a kernel runs from 100 to 1100 µs; more is called for each.
func loop(more func(m *maker, at float64)) *maker {
	m := newMaker()
	for i := range 4 {
		at := float64(i) * 2000
		m.step(fmt.Sprint(i), at, 2000).op("aten::work", at+20, 60).kernel("work", at+30, at+100, 1000)
		more(m, at)
	}
	return m
}

// What the host does before the GPU's first work and after its last is not a part of the time
// that shares are counted of, where no steps were found.
func TestSharesWithoutSteps(t *testing.T) {
	m := newMaker().op("aten::load", 0, 90_000).frame("train.py(3): setup", 0, 90_000)
	for k := range 20 {
		at := 90_000 + 100*float64(k)
		m.op(fmt.Sprint("aten::op", k), at, 50).kernel(fmt.Sprint("kernel", k), at+5, at+20, 10)
	}
	m.op("aten::save", 92_000, 90_000)
	a := m.analyse(t, All)
	if len(a.Findings) == 0 {
		t.Fatal("no findings")
	}
	for _, f := range a.Findings {
		if s, whole := f.Estimate.SecondsPerStep, float64(a.GPUs[0].Span.SpanNS)/1e9; s > whole {
			t.Errorf("%s could save %g s of %g s: %s", f.Code, s, whole, f.Message)
		}
	}
}

// What the GPU does after the last step's end is not a part of a step's time.
func TestCommunicationOutsideSteps(t *testing.T) {
	m := newMaker().step("0", 0, 1000).step("1", 1000, 1000)
	m.op("aten::work", 10, 60).kernel("work", 20, 100, 100).kernel("ncclDevKernel_AllReduce", 80, 1500, 9000)
	for _, f := range m.analyse(t, All).Findings {
		if f.Code == "TRC124" && strings.Contains(f.Message, "250 µs a step (25% of the step)") {
			return
		}
		t.Logf("%s: %s", f.Code, f.Message)
	}
	t.Error("500 of 2,000 µs are communication that nothing hides")
}

// Tensor cores came with compute capability 7, and those know neither BF16 nor TF32.
func TestTensorCoresOfOldGPUs(t *testing.T) {
	for major, advice := range map[int]string{0: "BF16", 6: "", 7: "GradScaler", 8: "BF16"} {
		m := loop(func(m *maker, at float64) {
			m.op("aten::mm", at+1100, 40).kernel("volta_sgemm_128x32_nt", at+1110, at+1120, 500)
		})
		m.meta.GPUs = []trace.GPU{{Device: 0, Major: major}}
		got := ""
		for _, f := range m.analyse(t, All).Findings {
			if f.Code == "TRC118" {
				got = f.Advice
			}
		}
		if (got == "") != (advice == "") || !strings.Contains(got, advice) {
			t.Errorf("capability %d: %q, want %q", major, got, advice)
		}
	}
}

// A collective has few blocks by design.
func TestCollectivesAreNotTooSmall(t *testing.T) {
	m := loop(func(m *maker, at float64) {
		m.op("nccl:all_reduce", at+1100, 40).kernel("ncclKernel_AllReduce_RING", at+1110, at+1120, 600)
		m.batch.SetConfig(m.lexicon.Config(trace.Config{Grid: [3]int32{8, 1, 1}, BlocksPerSM: 0.06}))
	})
	for _, f := range m.analyse(t, All).Findings {
		if f.Code == "TRC122" {
			t.Error(f.Message)
		}
	}
}

// Without recorded memory nobody knows how full it is.
func TestMemoryIsNotSaidToBeFull(t *testing.T) {
	m := loop(func(m *maker, at float64) {
		m.op("aten::cudnn_convolution", at+1200, 500).call("cudaFree", at+1210, 200).call("cudaMalloc", at+1420, 200)
	})
	for _, f := range m.analyse(t, All).Findings {
		if f.Code == "TRC126" {
			t.Error(f.Message)
		}
	}
}

// ruleTests has a trace for each rule on which it must speak.
var ruleTests = map[string]*maker{
	"TRC101": loop(func(m *maker, at float64) {
		m.mark("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", at+1200, 700).op("aten::stft", at+1250, 300)
	}),
	"TRC102": loop(func(m *maker, at float64) {
		m.mark("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", at+1200, 700)
	}),
	"TRC103": loop(func(m *maker, at float64) { m.frame("train.py(4): make_batch", at+1200, 700) }),
	"TRC104": loop(func(m *maker, at float64) {
		m.op("aten::copy_", at+1200, 300).copyIn("Pageable", 1<<20, at+1210, 100, at+1250, 200).call("cudaStreamSynchronize", at+1320, 150)
	}),
	"TRC105": loop(func(m *maker, at float64) {
		m.op("aten::copy_", at+1200, 300).copyIn("Pinned", 1<<20, at+1210, 10, at+1250, 200).call("cudaStreamSynchronize", at+1230, 240)
	}),
	"TRC106": loop(func(m *maker, at float64) {
		m.op("aten::copy_", at+1200, 40).copyIn("Pinned", 1<<20, at+1210, 10, at+1250, 200)
	}),
	"TRC107": loop(func(m *maker, at float64) {
		for k := range 10 {
			m.op("aten::copy_", at+1200+20*float64(k), 10).copyIn("Pageable", 64, at+1201+20*float64(k), 8, at+1205+20*float64(k), 1)
		}
	}),
	"TRC108": loop(func(m *maker, at float64) {
		m.op("aten::item", at+900, 300).op("aten::_local_scalar_dense", at+901, 298).copyOut(4, at+910, 10, at+1101, 1).call("cudaStreamSynchronize", at+930, 250)
	}),
	"TRC109": loop(func(m *maker, at float64) {
		m.op("aten::_to_copy", at+900, 300).op("aten::copy_", at+901, 298).copyOut(4096, at+910, 10, at+1101, 1).call("cudaStreamSynchronize", at+930, 250)
	}),
	"TRC110": loop(func(m *maker, at float64) {
		m.op("aten::nonzero", at+900, 300).copyOut(4, at+910, 10, at+1101, 1).call("cudaStreamSynchronize", at+930, 250)
	}),
	"TRC111": loop(func(m *maker, at float64) { m.call("cudaDeviceSynchronize", at+900, 300) }),
	"TRC112": loop(func(m *maker, at float64) {
		for k := range 10 {
			m.op("aten::add", at+1200+50*float64(k), 40).kernel("add", at+1230+50*float64(k), at+1236+50*float64(k), 2)
		}
	}),
	"TRC113": loop(func(m *maker, at float64) {
		m.mark("Optimizer.step#AdamW.step", at+1190, 780)
		for k := range 60 {
			m.op("aten::mul_", at+1200+12*float64(k), 10).kernel("mul", at+1202+12*float64(k), at+1208+12*float64(k), 2)
		}
	}),
	"TRC114": loop(func(m *maker, at float64) { m.frame("train.py(9): log", at+1150, 700) }),
	"TRC115": loop(func(m *maker, at float64) {
		m.op("aten::empty", at+1200, 500).call("cudaFree", at+1210, 200).call("cudaMalloc", at+1420, 200)
	}),
	"TRC116": loop(func(m *maker, at float64) { m.mark("compile_inner (dynamo_timed)", at+1200, 600) }),
	"TRC117": loop(func(m *maker, at float64) { m.mark("save_checkpoint", at+1200, 600) }),
	"TRC118": loop(func(m *maker, at float64) {
		m.op("aten::mm", at+1100, 40).kernel("cutlass_80_simt_sgemm_256x128", at+1110, at+1120, 500)
	}),
	"TRC119": loop(func(m *maker, at float64) {
		for k, name := range []string{"aten::bmm", "aten::_softmax", "aten::bmm"} {
			m.op(name, at+1100+100*float64(k), 40).kernel(name, at+1110+100*float64(k), at+1120+100*float64(k), 90)
		}
	}),
	"TRC120": loop(func(m *maker, at float64) { m.op("aten::copy_", at+1100, 40).kernel("copy", at+1110, at+1120, 300) }),
	"TRC121": loop(func(m *maker, at float64) {
		m.op("aten::conv2d", at+1100, 40).kernel("void cudnn::nchwToNhwcKernel<float>", at+1110, at+1120, 100)
	}),
	"TRC122": loop(func(m *maker, at float64) {
		m.op("aten::add", at+1100, 40).kernel("tiny", at+1110, at+1120, 600)
		m.batch.SetConfig(m.lexicon.Config(trace.Config{Grid: [3]int32{8, 1, 1}, BlocksPerSM: 0.06}))
	}),
	"TRC123": loop(func(m *maker, at float64) {
		m.mark("Optimizer.zero_grad#SGD.zero_grad", at+1100, 500)
		for k := range 12 {
			m.op("aten::zero_", at+1110+20*float64(k), 10).kernel("fill", at+1111+20*float64(k), at+1118+20*float64(k), 5)
		}
	}),
	"TRC124": loop(func(m *maker, at float64) { m.kernel("ncclDevKernel_AllReduce", at+1000, at+1100, 500) }),
	"TRC126": loop(func(m *maker, at float64) { m.allocate(at+10, uint64(at)+1, 400<<20, int64(at)<<18, 1900<<20) }),
	"TRC127": loop(func(m *maker, at float64) { m.allocate(at+10, uint64(at)+1, 400<<20, 400<<20, 1900<<20) }),
	"TRC129": loop(func(m *maker, at float64) {
		for k := range 24 {
			m.host(autogradThread, trace.CPUOp, "torch::autograd::AccumulateGrad", at+1200+20*float64(k), 4)
			m.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", at+1205+20*float64(k), at+1211+20*float64(k), 8)
		}
	}),
	"TRC133": loop(func(m *maker, at float64) { // two micro-batches, each with an all-reduce
		for k := range 2 {
			m.mark("DistributedDataParallel.forward", at+1110+200*float64(k), 20)
			m.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", at+1150+200*float64(k), at+1160+200*float64(k), 100)
		}
		m.mark("Optimizer.step#SGD.step", at+1600, 50)
	}),
	"TRC134": loop(func(m *maker, at float64) {
		for k := range 12 {
			m.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", at+1205+20*float64(k), at+1211+20*float64(k), 8).message(40 << 10)
		}
	}),
	"TRC128": loop(func(m *maker, at float64) { m.host(0, trace.Overhead, "Command Buffer Full", at+300, 200) }),
}

// rankTests are jobs on which the rules over several ranks must speak.
var rankTests = map[string]func() []*trace.Trace{
	"TRC125": func() []*trace.Trace { return []*trace.Trace{rank(0, 200), rank(1, 700)} },
	"TRC130": func() (list []*trace.Trace) { // the pair of ranks 2 and 3 has a slow link
		for r := range 4 {
			m := newMaker()
			m.meta.Rank = r
			for i := range 6 {
				at := 1000 * float64(i)
				m.step(fmt.Sprint(i), at, 1000).op("aten::mm", at+10, 60).kernel("gemm", at+20, at+30, 100)
				m.kernel("ncclDevKernel_AllGather", at+40, at+130, float64(100+400*(r/2))).group(r/2, 1<<20)
			}
			list = append(list, m.trace())
		}
		return list
	},
	"TRC131": func() (list []*trace.Trace) { // rank 1 has twice the blocks to compute
		for r := range 2 {
			m := newMaker()
			m.meta.Rank = r
			for i := range 4 {
				at, ns := 1000*float64(i), float64(200+300*r)
				m.step(fmt.Sprint(i), at, 1000).op("aten::mm", at+10, 60).kernel("gemm", at+20, at+30, ns)
				m.batch.SetConfig(m.lexicon.Config(trace.Config{Grid: [3]int32{int32(100 + 100*r), 1, 1}}))
				m.kernel("ncclDevKernel_AllReduce", at+60, at+40+ns, 600-ns)
			}
			list = append(list, m.trace())
		}
		return list
	},
	"TRC132": func() (list []*trace.Trace) { // rank 0 collects garbage
		for r := range 2 {
			m := newMaker()
			m.meta.Rank = r
			for i := range 4 {
				at, ns := 1000*float64(i), float64(500*(1-r))
				m.step(fmt.Sprint(i), at, 1000).frame("<built-in function collect>", at+5, ns).op("aten::mm", at+10+ns, 60).kernel("gemm", at+20+ns, at+30+ns, 100)
				m.kernel("ncclDevKernel_AllReduce", at+60+ns, at+140+ns, 600-ns)
			}
			list = append(list, m.trace())
		}
		return list
	},
}

// group says of the last kernel that it is a collective of a pair of ranks.
func (m *maker) group(number int, bytes int64) *maker {
	m.batch.SetText(trace.CollectiveName, m.name("_allgather_base"))
	m.batch.SetText(trace.GroupName, m.name(fmt.Sprint(number)))
	m.batch.SetInt(trace.GroupSize, 2)
	return m.message(bytes)
}

func (m *maker) message(bytes int64) *maker {
	m.batch.SetText(trace.DType, m.name("Float"))
	m.batch.SetInt(trace.InElements, bytes/4)
	return m
}

func TestEveryRuleSpeaks(t *testing.T) {
	for _, code := range []string{"TRC126", "TRC127"} {
		ruleTests[code].meta.GPUs = []trace.GPU{{Device: 0, Memory: 2000 << 20}}
	}
	for _, r := range Rules() {
		var found []finding.Finding
		if ranks := rankTests[r.Code]; ranks != nil {
			a, err := Everything(context.Background(), ranks(), All)
			if err != nil {
				t.Fatal(err)
			}
			found = a.Findings
		} else {
			m := ruleTests[r.Code]
			if m == nil {
				t.Errorf("%s has no test", r.Code)
				continue
			}
			found = m.analyse(t, All).Findings
		}
		i := slices.IndexFunc(found, func(f finding.Finding) bool { return f.Code == r.Code })
		if i < 0 {
			var codes []string
			for _, f := range found {
				codes = append(codes, f.Code)
			}
			t.Errorf("%s %s says nothing; found %v", r.Code, r.Name, codes)
			continue
		}
		f := found[i]
		if f.Message == "" || f.Why == "" || f.Advice == "" || f.Estimate == nil || f.Estimate.Basis == "" || f.Confidence <= 0 {
			t.Errorf("%s is not complete: %+v", r.Code, f)
		}
		if s := f.Estimate.SecondsPerStep; s < 0 || s > 0.002 {
			t.Errorf("%s could save %f s of a step of 0.002 s", r.Code, s)
		}
		for _, cure := range r.CureRules() {
			if !strings.Contains(f.Advice, cure.Code) {
				t.Errorf("%s does not name its cure %s", r.Code, cure.Code)
			}
		}
	}
}

// A job with nothing wrong gets no finding.
func TestNoRuleSpeaks(t *testing.T) {
	m := newMaker()
	for i := range 4 {
		at := float64(i) * 1000
		m.step(fmt.Sprint(i), at, 1000).mark("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", at+1, 3)
		m.op("aten::work", at+20, 60).kernel("nvjet_sm90_tst_256x128", at+30, at+40, 990)
	}
	if found := m.analyse(t, All).Findings; len(found) > 0 {
		t.Errorf("%+v", found)
	}
}

func TestRulesAreWellFormed(t *testing.T) {
	code, name := regexp.MustCompile(`^TRC1\d\d$`), regexp.MustCompile(`^[a-z]+(-[a-z]+)+$`)
	seen := map[string]bool{}
	previous := ""
	for _, r := range Rules() {
		if !code.MatchString(r.Code) || !name.MatchString(r.Name) || r.Title == "" || r.Why == "" || r.Advice == "" {
			t.Errorf("%s %s needs a code like TRC101, a name of two words or more, a title, a why and an advice", r.Code, r.Name)
		}
		if seen[r.Code] || seen[r.Name] || r.Code <= previous {
			t.Errorf("%s %s comes twice or in the wrong place", r.Code, r.Name)
		}
		seen[r.Code], seen[r.Name], previous = true, true, r.Code
	}
	if len(rules) < 15 {
		t.Errorf("%d rules", len(rules))
	}
}

// What the rules say about the shared traces.
func TestFindingsOfRealTraces(t *testing.T) {
	for name, want := range map[string][]string{
		"starved":              {"TRC101", "TRC118", "TRC113", "TRC104", "TRC108", "TRC128"},
		"fixed":                {"TRC112", "TRC114", "TRC120"},
		"compiled":             {"TRC112", "TRC114"},
		"launchbound":          {"TRC112", "TRC114", "TRC120"},
		"jax/vm.trace.json.gz": {"TRC103", "TRC109"},
		"jax/vm.xplane.pb":     {"TRC103", "TRC109"},
	} {
		a := analysed(t, name, All)
		var got []string
		for _, f := range a.Findings {
			got = append(got, f.Code)
			if f.When != nil && (f.When.StartNS < a.Window.StartNS || f.When.EndNS > a.Window.EndNS || f.When.EndNS <= f.When.StartNS) {
				t.Errorf("%s %s lies outside the trace: %+v", name, f.Code, f.When)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}
