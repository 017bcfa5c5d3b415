package analyze

import (
	"fmt"
	"strings"
	"testing"

	"saturate/internal/finding"
	"saturate/internal/trace"
)

func findingOf(a Analysis, code string) (finding.Finding, bool) {
	for _, f := range a.Findings {
		if f.Code == code {
			return f, true
		}
	}
	return finding.Finding{}, false
}

// Only what took more than half is most of it, and a place is named with its own cause.
func TestTheLargestPlace(t *testing.T) {
	m := newMaker().op("aten::first", 0, 60).kernel("first", 10, 20, 50)
	m.frame("train.py(7): augment", 100, 4000).op("aten::add", 4100, 90).kernel("add", 4110, 4120, 50)
	for i, op := range []string{"aten::convolution", "aten::relu", "aten::batch_norm"} {
		at := 4200 + 3000*float64(i)
		m.op(op, at, 3000).call("cudaLaunchKernel", at+10, 2900+float64(10*i)).work(trace.Kernel, op, at+2950, 50)
	}
	const want = "of the time: code was compiled or loaded."
	s := m.analyse(t, All).Verdict.Sentence
	if !strings.Contains(s, want) || !strings.Contains(s, "the largest part in aten::batch_norm (cudaLaunchKernel)") {
		t.Errorf("%q does not say %q, and where the largest part was loaded", s, want)
	}
}

// One long pause comes once, not "each time".
func TestOnePause(t *testing.T) {
	m := newMaker().op("aten::add", 0, 60).kernel("a", 10, 20, 50).kernel("b", 20, 9000, 50)
	if s := m.analyse(t, All).Verdict.Sentence; !strings.Contains(s, "is between kernels, in one gap. The") {
		t.Error(s)
	}
}

// Without steps too, the waits with which a profiler starts and stops are not the program's.
func TestWaitsOfTheProfiler(t *testing.T) {
	build := func() *maker {
		m := newMaker().call("cudaDeviceSynchronize", 0, 5)
		for i := range 4 {
			at := 10 + 100*float64(i)
			m.op(fmt.Sprint("aten::op", i), at, 50).kernel(fmt.Sprint("k", i), at+5, at+15, 85)
		}
		return m.call("cudaDeviceSynchronize", 380, 60)
	}
	if f, ok := findingOf(build().analyse(t, All), "TRC111"); ok {
		t.Errorf("the profiler's own waits are a fault: %s", f.Message)
	}
	if _, ok := findingOf(build().call("cudaDeviceSynchronize", 170, 40).analyse(t, All), "TRC111"); !ok {
		t.Error("a wait between two launches is none")
	}
}

// JAX's wait for its results is a wait, once, and not code of the host.
func TestWaitOfJAX(t *testing.T) {
	m := newMaker().op("PjitFunction(train)", 0, 60).kernel("first", 10, 20, 50)
	m.frame("$api.py:3154 block_until_ready", 65, 4000).frame("$api.py:3165 try_to_block", 70, 3990)
	m.op("PjitFunction(train)", 4100, 60).kernel("first", 4110, 4120, 50)
	a := m.analyse(t, All)
	if a.Verdict.Bottleneck != BySync || !strings.Contains(a.Verdict.Sentence, "is in such a wait or right after it, most of it in api.py:3154 block_until_ready") {
		t.Errorf("%+v", a.Verdict)
	}
	if len(a.Syncs) != 1 || a.Syncs[0].Count != 1 {
		t.Errorf("%+v", a.Syncs)
	}
	mine := newMaker().op("aten::a", 0, 60).kernel("first", 10, 20, 50).frame("train.py(9): block_until_ready", 65, 4000).op("aten::a", 4100, 60).kernel("k", 4110, 4120, 50)
	if a := mine.analyse(t, All); a.Verdict.Bottleneck != ByHost {
		t.Errorf("a function of the user's: %+v", a.Verdict)
	}
}

// Advice fits what wrote the trace and what was recorded.
func TestAdviceFits(t *testing.T) {
	launches := func(m *maker, operator string) *maker {
		for i := range 20 {
			at := 100 * float64(i)
			m.op(operator, at, 95).kernel(fmt.Sprint("k", i), at+80, at+90, 10)
		}
		return m
	}
	region := func(m *maker, upTo float64) *maker { return m.op("## Call CompiledFxGraph abc ##", -1, upTo) }
	jax := launches(newMaker(), "aten::a")
	jax.meta.Format = "xplane"
	stacks := newMaker().op("aten::a", 0, 60).kernel("a", 10, 20, 50).frame("train.py(7): augment", 100, 4000).op("aten::b", 4110, 60).kernel("b", 4120, 4130, 50)
	bare := newMaker().op("aten::a", 0, 60).kernel("a", 10, 20, 50).op("aten::b", 4110, 60).kernel("b", 4120, 4130, 50)
	for _, tt := range []struct {
		name       string
		made       *maker
		code       string
		says, nots string
	}{
		{"eager", launches(newMaker(), "aten::a"), "TRC112", "torch.compile", "already compiled"},
		{"compiled", region(launches(newMaker(), "aten::a"), 2000), "TRC112", "larger regions (now: 1 graph)", "Fuse operators"},
		{"hardly compiled", region(launches(newMaker(), "aten::a"), 97), "TRC112", "Fuse operators", "already compiled"},
		{"JAX", jax, "TRC112", "jax.jit", "torch.compile"},
		{"stacks", stacks, "TRC114", "another thread", "with_stack"},
		{"no stacks", bare, "TRC114", "with_stack=True", "jax"},
	} {
		f, ok := findingOf(tt.made.analyse(t, All), tt.code)
		if !ok || !strings.Contains(f.Advice, tt.says) || strings.Contains(f.Advice, tt.nots) {
			t.Errorf("%s: %q, want %q and not %q", tt.name, f.Advice, tt.says, tt.nots)
		}
	}
}

// One call is not "1 call … take".
func TestOneAllocation(t *testing.T) {
	m := newMaker().op("aten::first", 10, 60).kernel("first", 20, 100, 100)
	m.op("aten::empty", 200, 2000).call("cudaMalloc", 210, 1900).op("aten::add", 2210, 50).kernel("k", 2220, 2230, 50)
	f, _ := findingOf(m.analyse(t, All), "TRC115")
	if !strings.HasPrefix(f.Message, "1 call to the driver's allocator takes 1.90 ms on the host and leaves the GPU idle for ") {
		t.Error(f.Message)
	}
}

// Collectives over symmetric memory are communication, not kernels that a larger batch would fill.
func TestOtherCollectives(t *testing.T) {
	for _, name := range []string{
		"void (anonymous namespace)::multimem_all_reduce_kernel<__nv_bfloat16, 16>(…)", "void (anonymous namespace)::two_shot_all_reduce_kernel_inplace<float, 16, 8>(…)",
		"void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<…>", "ncclDevKernel_AllReduce_Sum_f32",
	} {
		if v := newMaker().kernel("first", 0, 10, 50).kernel(name, 10, 60, 2000).analyse(t, All).Verdict; v.Bottleneck != ByCommunication {
			t.Errorf("%s: %s", name, v.Bottleneck)
		}
	}
}

// Copies from the host are no casts, though the same operator makes them.
func TestCopiesAreNoCasts(t *testing.T) {
	m := loop(func(m *maker, at float64) {
		m.op("aten::copy_", at+1100, 700).copyIn("Pageable", 1<<20, at+1110, 600, at+1120, 500)
	})
	if f, ok := findingOf(m.analyse(t, All), "TRC120"); ok {
		t.Error(f.Message)
	}
}

// The kernels that are counted are those of the GPU that waits.
func TestLaunchesOfOneGPU(t *testing.T) {
	m := newMaker()
	for i := range 20 {
		at := 100 * float64(i)
		m.op(fmt.Sprint("aten::op", i), at, 95).call("cudaLaunchKernel", at+70, 5).workOn(0, 7, trace.Kernel, fmt.Sprint("k", i), at+80, 10)
		m.call("cudaLaunchKernel", at+80, 5).workOn(1, 7, trace.Kernel, "other", at+90, 5)
	}
	f, _ := findingOf(m.analyse(t, All), "TRC112")
	if !strings.HasSuffix(f.Message, ": 20 kernels, 10.0 µs each") {
		t.Error(f.Message)
	}
}
