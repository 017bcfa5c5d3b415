package analyze

import (
	"fmt"
	"strings"
	"testing"

	"saturate/internal/trace"
)

// One kernel in a second proves nothing, good or bad.
func TestTooLittleToJudge(t *testing.T) {
	a := newMaker().op("aten::add", 0, 900_000).kernel("add", 400_000, 400_010, 5).analyse(t, All)
	if a.Verdict.Bottleneck != ByNothing || a.Verdict.Confidence != 0 || len(a.Findings) > 0 || !strings.HasPrefix(a.Verdict.Sentence, "Too little GPU work to judge: 1 piece of 5.00 µs in total") {
		t.Errorf("%+v %v", a.Verdict, a.Findings)
	}
}

// What a capture records into a graph does not run there.
func TestCaptureIsNamed(t *testing.T) {
	m := newMaker().kernel("warmup", 0, 10, 20).call("cudaStreamBeginCapture", 100, 5)
	for k := range 30 {
		m.call("cudaLaunchKernel", 110+10*float64(k), 5)
	}
	m.call("cudaStreamEndCapture", 500, 5).kernel("after", 600, 610, 20)
	a := m.analyse(t, All)
	if a.Launch.Captured != 30 || !strings.Contains(a.Verdict.Sentence, "a trace of CUDA-graph capture: 30 launches were recorded") || a.Verdict.Confidence != 0 {
		t.Errorf("%d captured: %+v", a.Launch.Captured, a.Verdict)
	}
}

// A few long gaps are said, with what ran before them; an average over all gaps would hide them.
func TestFewLongGaps(t *testing.T) {
	m := newMaker()
	at := 1000.0
	for k := range 60 {
		name := "work"
		if k%20 == 19 {
			name = "sleepy"
		}
		m.kernel(name, float64(k), at, 100)
		at += 100 + 40
		if name == "sleepy" {
			at += 20_000
		}
	}
	sentence := m.kernel("last", 70, at, 100).analyse(t, All).Verdict.Sentence
	if !strings.Contains(sentence, "in 3 long gaps of 20.0 ms on average") || !strings.Contains(sentence, "after sleepy") {
		t.Error(sentence)
	}
}

// Compiling is a class of its own, in the headline and in the step.
func TestCompilingIsAPart(t *testing.T) {
	a := loop(func(m *maker, at float64) { m.call("cuModuleLoadData", at+1200, 700) }).analyse(t, All)
	if m := Mean(a.Steps); a.Verdict.Bottleneck != ByCompiling || m.CompilingNS < 600_000 || m.HostNS > 300_000 {
		t.Errorf("%+v, compiling %d ns, host %d ns", a.Verdict, m.CompilingNS, m.HostNS)
	}
}

// Python code before a copy is data loading only where nothing marks the loader.
func TestCodeBetweenStepsIsNotLoading(t *testing.T) {
	steps := func(marked bool) Analysis {
		m := newMaker()
		for i := range 4 {
			at := float64(i) * 10_000
			m.step(fmt.Sprint(i), at, 10_000)
			if marked {
				m.mark("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", at+5, 20)
			}
			m.op("aten::copy_", at+6000, 200).copyIn("Pageable", 1<<20, at+6010, 100, at+6050, 100).kernel("work", at+6300, at+6310, 500)
		}
		return m.analyse(t, All)
	}
	if v := steps(false).Verdict; v.Bottleneck != ByData {
		t.Errorf("unmarked: %+v", v)
	}
	if v := steps(true).Verdict; v.Bottleneck != ByHost {
		t.Errorf("marked: %+v", v)
	}
}

// Results that a blocking copy brings to the host in every step are named.
func TestResultsCopiedEachStep(t *testing.T) {
	a := loop(func(m *maker, at float64) {
		m.call("cudaMemcpyAsync", at+1100, 400).work(trace.Memcpy, "Memcpy DtoH (Device -> Pageable)", at+1150, 300)
		m.batch.SetInt(trace.Bytes, 1<<20)
	}).analyse(t, All)
	for _, f := range a.Findings {
		if f.Code == "TRC109" && strings.HasPrefix(f.Message, "Results are copied to the host once a step") {
			return
		}
	}
	t.Errorf("%+v", a.Findings)
}

// MTIA marks copies as kernels, and is not a GPU.
func TestMTIA(t *testing.T) {
	if m := meaningOf("dma_request"); m&isDMA == 0 {
		t.Error("dma_request computes")
	}
	if m := meaningOf("runFunction - job_prep_and_submit_for_execution"); m&isLaunchCall == 0 {
		t.Error("runFunction launches nothing")
	}
}
