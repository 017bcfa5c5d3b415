package analyze

import (
	"strings"
	"testing"

	"saturate/internal/trace"
)

// Each trace has a kernel from 100 to 200 µs, then a gap, and what the host does in it.
func TestCauseOfAGap(t *testing.T) {
	tests := []struct {
		name  string
		build func(m *maker)
		cause Cause
		ns    int64 // of that cause and place
		place string
	}{
		{
			"the loader's marker", func(m *maker) {
				m.mark("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 110, 9000).op("aten::stft", 500, 4000)
				m.kernel("k", 9200, 9210, 50)
			}, DataLoading, 8910_000, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
		},
		{
			"an NVTX range of the user", func(m *maker) {
				m.mark("DataLoading", 200, 5000)
				m.kernel("k", 5300, 5310, 50)
			}, DataLoading, 5000_000, "DataLoading",
		},
		{
			"a data set's __getitem__ on the stack", func(m *maker) {
				m.frame("train.py(3): main", 0, 9000).frame("data.py(10): __getitem__", 300, 5000)
				m.kernel("k", 5400, 5410, 50)
			}, DataLoading, 5000_000, "data.py:10 __getitem__",
		},
		{
			"unmarked code before a batch is copied", func(m *maker) {
				m.op("aten::to", 7000, 300).copyIn("Pinned", 1<<20, 7010, 10, 7030, 100)
			}, DataLoading, 6800_000, "before Memcpy HtoD (Pinned -> Device)",
		},
		{
			"the host had waited in .item()", func(m *maker) {
				m.op("aten::item", 150, 100).op("aten::_local_scalar_dense", 151, 98).copyOut(4, 160, 10, 195, 2).call("cudaStreamSynchronize", 175, 70)
				m.op("aten::add", 500, 20).kernel("k", 505, 515, 50)
			}, Synchronization, 305_000, "aten::item (cudaStreamSynchronize)",
		},
		{
			"a synchronisation in the user's function", func(m *maker) {
				m.frame("train.py(30): log_loss", 140, 200).call("cudaDeviceSynchronize", 150, 80)
				m.op("aten::add", 500, 20).kernel("k", 505, 515, 50)
			}, Synchronization, 305_000, "train.py:30 log_loss (cudaDeviceSynchronize)",
		},
		{
			"Python with its stack", func(m *maker) {
				m.frame("train.py(3): main", 0, 9000).frame("train.py(12): log_metrics", 300, 5000).frame("torch/utils/tensorboard.py(5): add", 400, 4000)
				m.op("aten::add", 5400, 20).kernel("k", 5405, 5415, 50)
			}, HostPython, 5200_000, "train.py:12 log_metrics",
		},
		{
			"Python without its stack", func(m *maker) {
				m.op("aten::linear", 5400, 20).op("aten::addmm", 5402, 16).kernel("k", 5405, 5415, 50)
			}, HostPython, 5200_000, "before aten::linear",
		},
		{
			"a long operator on the CPU", func(m *maker) {
				m.op("aten::sort", 300, 5000)
				m.op("aten::add", 5400, 20).kernel("k", 5405, 5415, 50)
			}, HostPython, 5000_000, "aten::sort",
		},
		{
			"a copy from pageable memory", func(m *maker) {
				m.op("aten::copy_", 250, 3000).copyIn("Pageable", 1<<20, 260, 2000, 2300, 100).call("cudaStreamSynchronize", 2270, 800)
			}, TransferCause, 2040_000, "",
		},
		{
			"waiting behind a copy to the GPU", func(m *maker) {
				m.op("aten::copy_", 100, 900).copyIn("Pageable", 1<<20, 110, 40, 180, 100).call("cudaStreamSynchronize", 155, 800)
				m.op("aten::add", 960, 20).kernel("k", 965, 975, 50)
			}, TransferCause, 675_000, "aten::copy_ (cudaStreamSynchronize)",
		},
		{
			"the driver allocates", func(m *maker) {
				m.op("aten::empty", 290, 1100).call("cudaMalloc", 300, 1000)
				m.op("aten::add", 1450, 20).kernel("k", 1455, 1465, 50)
			}, MemoryAllocation, 1000_000, "aten::empty (cudaMalloc)",
		},
		{
			"code is compiled", func(m *maker) {
				m.mark("_compile.compile_inner (dynamo_timed)", 300, 8000).op("aten::add", 400, 100)
				m.op("aten::add", 8400, 20).kernel("k", 8405, 8415, 50)
			}, Compilation, 8000_000, "_compile.compile_inner (dynamo_timed)",
		},
		{
			"a checkpoint is written", func(m *maker) {
				m.mark("save_checkpoint", 300, 8000).op("aten::copy_", 400, 100).call("cudaStreamSynchronize", 450, 40)
				m.op("aten::add", 8400, 20).kernel("k", 8405, 8415, 50)
			}, Checkpoint, 8000_000, "save_checkpoint",
		},
		{
			"operators that take the host longer than the GPU", func(m *maker) {
				m.op("aten::relu", 210, 40).op("aten::add", 260, 40).kernel("k", 290, 296, 50)
			}, LaunchCause, 96_000, "",
		},
		{
			"launched in the optimizer's step", func(m *maker) {
				m.mark("Optimizer.step#AdamW.step", 205, 200).op("aten::mul_", 210, 40).kernel("k", 240, 246, 50)
			}, LaunchCause, 46_000, "Optimizer.step#AdamW.step",
		},
		{
			"launched already", func(m *maker) {
				m.kernel("k", 150, 220, 50)
			}, KernelWait, 20_000, "",
		},
		{
			"launched by the thread of autograd, prepared by the main thread", func(m *maker) {
				m.op("aten::mse_loss", 210, 1000)
				m.host(autogradThread, trace.CPUOp, "autograd::engine::evaluate_function: MseLossBackward0", 1300, 100)
				m.number++
				m.host(autogradThread, trace.Runtime, "cudaLaunchKernel", 1350, 5)
				m.batch.SetInt(trace.Correlation, m.number)
				m.work(trace.Kernel, "k", 1360, 50)
			}, HostPython, 1000_000, "aten::mse_loss",
		},
		{
			"the profiler empties its buffers", func(m *maker) {
				m.host(0, trace.Overhead, "Buffer Flush", 300, 500)
				m.op("aten::add", 900, 20).kernel("k", 905, 915, 50)
			}, Recording, 500_000, "Buffer Flush",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := newMaker()
			m.op("aten::first", 10, 60).kernel("first", 20, 100, 100)
			tt.build(m)
			a := m.analyse(t, All)
			g := a.GPUs[0]
			var sum int64
			for _, c := range g.IdleByCause {
				sum += c.NS
			}
			if sum != g.Span.IdleNS {
				t.Errorf("the causes add up to %d ns of %d", sum, g.Span.IdleNS)
			}
			for _, c := range g.IdleByCause {
				if c.Cause == tt.cause.String() && c.Place == tt.place && c.NS == tt.ns {
					return
				}
			}
			t.Errorf("no %d ns of %s %q among %+v", tt.ns, tt.cause, tt.place, g.IdleByCause)
		})
	}
}

// Work whose launching call is not in the trace is explained by the main thread.
func TestCauseWithoutALaunch(t *testing.T) {
	m := newMaker()
	m.op("aten::first", 10, 60).kernel("first", 20, 100, 100)
	m.mark("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", 210, 9000)
	m.number = 999
	m.work(trace.Kernel, "lost", 9300, 10)
	a := m.analyse(t, All)
	if c := a.GPUs[0].IdleByCause[0]; c.Cause != "data_loading" || c.NS != 9000_000 {
		t.Errorf("got %+v", c)
	}
	if a.Quality.Unlinked != 1 {
		t.Errorf("%d unlinked, want 1", a.Quality.Unlinked)
	}
}

// A gap is counted from the running maximum of ends, over all streams.
func TestGapsOverStreams(t *testing.T) {
	m := newMaker()
	m.call("cudaLaunchKernel", 0, 5).workOn(0, 7, trace.Kernel, "long", 10, 100)
	m.call("cudaLaunchKernel", 6, 5).workOn(0, 8, trace.Kernel, "short", 20, 10)
	m.call("cudaLaunchKernel", 12, 5).workOn(0, 8, trace.Kernel, "inside", 50, 10)
	m.call("cudaLaunchKernel", 18, 5).workOn(0, 7, trace.Kernel, "after", 130, 10)
	a := m.analyse(t, All)
	g := a.GPUs[0]
	if len(g.GapLengths) != 1 || g.GapLengths[0] != 20_000 {
		t.Errorf("gaps %v, want one of 20 µs", g.GapLengths)
	}
	if g.Span.BusyNS != 110_000 || g.Span.KernelSumNS != 130_000 {
		t.Errorf("%+v", g.Span)
	}
	for _, s := range g.Streams {
		if s.Stream == 8 && (s.OverlapNS != 20_000 || s.BusyNS != 20_000) {
			t.Errorf("stream 8: %+v", s)
		}
	}
}

func TestMeaning(t *testing.T) {
	for name, want := range map[string]meaning{
		"cudaLaunchKernelExC":                      isLaunchCall,
		"cuLaunchKernelEx":                         isLaunchCall,
		"hipExtModuleLaunchKernel":                 isLaunchCall,
		"cudaMemcpyAsync":                          isCopyCall,
		"cudaStreamSynchronize":                    isSync,
		"hipDeviceSynchronize":                     isSync | isDeviceSync,
		"cudaStreamWaitEvent":                      0,
		"cudaHostAlloc":                            isAlloc,
		"cuMemUnmap":                               isAlloc,
		"cuModuleLoadData":                         isCompile,
		"cuda::something_else":                     0,
		"custom_op":                                0,
		"ncclDevKernel_AllReduce_Sum":              isComm,
		"void rocm::ncclKernel_x(int)":             isComm,
		"aten::data":                               0,
		"load_batch":                               isLoader,
		"Fetch next batch":                         isLoader,
		"get_batch_to_gpu":                         0,
		"batch_norm":                               0,
		"train_dataloader_next":                    isLoader,
		"[pl]run_training_batch":                   0,
		"$data.py:3 make_batch":                    isLoader,
		"$train.py:3 data":                         isLoader,
		"train.py(3): data_parallel":               0,
		"loader.py(88): __next__":                  0,
		"my_data.py(88): __next__":                 isLoader,
		"datasets/a.py(8): __getitem__":            isLoader,
		"os.py(675): __getitem__":                  0,
		"torch/_inductor/compile_fx.py(1767): run": isLibrary,
		"torch/_inductor/compile_fx.py(600): compile_fx_inner": isLibrary | isCompile,
		"torch/nn/modules/container.py(378): __getitem__":      isLibrary,
		"torch/utils/data/dataloader.py(728): __next__":        isLibrary | isLoader,
		"importlib/metadata/__init__.py(5): __getitem__":       0,
		"ModelCheckpoint":               isCheckpoint,
		"gradient_checkpointing":        0,
		"CheckpointFunctionBackward":    0,
		"model.py(7): get_batch_size":   0,
		"m.py(7): get_input_embeddings": 0,
		"Optimizer.zero_grad#SGD":       isZeroGrad,
		"Torch-Compiled Region: 0/0":    isRegion,
		"nn.Module: Linear_0":           isLibrary,
		"/lib/python3.12/os.py(1): get": isLibrary,
	} {
		if got := meaningOf(name); got != want {
			t.Errorf("meaning of %q is %b, want %b", name, got, want)
		}
	}
}

func TestFrames(t *testing.T) {
	for name, want := range map[string]string{
		"train.py(57): step":      "train.py:57 step",
		"$jaxtrain.py:23 data":    "jaxtrain.py:23 data",
		"$time sleep":             "sleep",
		"a (b)/c.py(1): <lambda>": "a (b)/c.py:1 <lambda>",
	} {
		f, ok := frameOf(name)
		if got := f.String(); ok && got != want || !ok && want != "" {
			t.Errorf("%q reads %q, want %q", name, got, want)
		}
	}
	if label := (&view{t: newMaker().frame("/x/site-packages/lib/a.py(3): f", 0, 1).trace()}).label(1); !strings.HasPrefix(label, "lib/a.py:3") {
		t.Errorf("label %q", label)
	}
}

// Recorded stacks put Python frames around torch's mark of the loader. The mark names it.
func TestLoaderMarkInsideFrames(t *testing.T) {
	m := newMaker().op("aten::first", 0, 60).kernel("first", 10, 20, 50)
	m.frame("torch/utils/data/dataloader.py(703): __next__", 100, 3000)
	m.mark("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 101, 2998).frame("torch/utils/data/_utils/fetch.py(9): fetch", 102, 2900)
	m.op("aten::add", 3200, 60).kernel("k", 3210, 3220, 50)
	if c := m.analyse(t, All).GPUs[0].IdleByCause[0]; !strings.Contains(c.Place, "_SingleProcessDataLoaderIter") {
		t.Errorf("%+v", c)
	}
}

// The first use of a kernel makes the driver load its code, inside the call that launches it.
func TestLoadingCode(t *testing.T) {
	m := newMaker().op("aten::first", 0, 60).kernel("first", 10, 20, 50)
	m.op("aten::add", 100, 900_000).call("cudaLaunchKernel", 110, 800_000).work(trace.Kernel, "k", 800_120, 50)
	m.op("aten::mul", 1_000_000, 700_000).call("cudaStreamCreateWithFlags", 1_000_010, 600_000).kernel("l", 1_600_020, 1_600_030, 50)
	a := m.analyse(t, All)
	if c := a.GPUs[0].IdleByCause[0]; c.Cause != "compilation" || c.Place != "aten::add (cudaLaunchKernel)" {
		t.Errorf("%+v", c)
	}
	if a.Verdict.Bottleneck != ByCompiling || !strings.Contains(a.Verdict.Sentence, "code was compiled or loaded") || !strings.Contains(a.Verdict.Sentence, "1.40 s of") {
		t.Errorf("%+v", a.Verdict)
	}
}

// A library starts the driver with a cudaFree of nothing; memory that is given back takes no such time.
func TestStartingTheDriver(t *testing.T) {
	for _, tt := range []struct {
		call  string
		ms    float64
		cause string
		calls int
	}{{"cudaFree", 6000, "compilation", 0}, {"cudaFree", 20, "memory_allocation", 1}, {"cudaMalloc", 6000, "memory_allocation", 1}, {"cudaFreeHost", 6000, "memory_allocation", 1}} {
		m := newMaker().op("aten::first", 0, 60).kernel("first", 10, 20, 50).op("aten::cudnn_convolution", 80, tt.ms*1000+100)
		a := m.call(tt.call, 90, tt.ms*1000).kernel("k", tt.ms*1000+100, tt.ms*1000+110, 50).analyse(t, All)
		if c := a.GPUs[0].IdleByCause[0]; c.Cause != tt.cause || a.Memory.DriverCalls != tt.calls {
			t.Errorf("%g ms of %s: %+v with %d calls of the allocator", tt.ms, tt.call, c, a.Memory.DriverCalls)
		}
	}
}

// A runtime that marks a whole request as a call loads no code in it.
func TestRequestsAsCalls(t *testing.T) {
	m := newMaker().op("aten::first", 0, 60).kernel("first", 10, 20, 50)
	m.call("predictor_executor::run", 80, 9000).op("aten::add", 9100, 60).kernel("k", 9110, 9120, 50)
	if c := m.analyse(t, All).GPUs[0].IdleByCause[0]; c.Cause == "compilation" {
		t.Errorf("%+v", c)
	}
}

// What was launched long before it began waited for something that is not the host.
func TestLaunchedAndHeld(t *testing.T) {
	m := newMaker().op("aten::first", 0, 60).kernel("first", 10, 20, 50)
	m.op("aten::add", 100, 30).kernel("held", 110, 90_000, 50)
	m.op("aten::copy_", 140, 89_000).call("cudaMemcpyAsync", 150, 88_000)
	a := m.analyse(t, All)
	g := a.GPUs[0]
	if c := g.IdleByCause[0]; c.Cause != "kernel_wait" || c.NS != 90_000_000-115_000 {
		t.Errorf("%+v", g.IdleByCause)
	}
	if s := a.Verdict.Sentence; a.Verdict.Bottleneck != ByNothing || !strings.Contains(s, "its work was already launched") || strings.Contains(s, "launch-bound") {
		t.Errorf("%+v", a.Verdict)
	}
}

// Where no call was recorded, the operator stands for it; when in it the work was launched is not known.
func TestLaunchedByAnOperator(t *testing.T) {
	m := newMaker().op("aten::first", 0, 60).kernel("first", 10, 20, 50)
	m.op("forward", 75, 5000)
	m.batch.SetInt(trace.External, 9)
	m.host(mainThread, trace.Runtime, "cudaMalloc", 100, 4500)
	m.number += 1000 // of no call
	m.work(trace.Kernel, "k", 5000, 50)
	m.batch.SetInt(trace.External, 9)
	if c := m.analyse(t, All).GPUs[0].IdleByCause[0]; c.Cause != "memory_allocation" || c.NS != 4_500_000 {
		t.Errorf("%+v", c)
	}
}
