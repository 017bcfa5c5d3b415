package analyze

import (
	"strings"

	"saturate/internal/trace"
)

// meaning is what a name says about the event with that name. A name can say several things.
type meaning uint32

const (
	isStep       meaning = 1 << iota // marks a training step
	isLoader                         // fetches or prepares a batch
	isCheckpoint                     // writes the model
	isCompile                        // compiles or loads code
	isSync                           // makes the host wait for the GPU
	isDeviceSync                     // … for everything on it
	isAlloc                          // asks the driver for memory, or gives it back
	isCopyCall                       // starts a copy
	isFillCall                       // starts a fill
	isLaunchCall                     // starts a kernel or a graph
	isOptimizer                      // the optimizer's step
	isZeroGrad                       // clears gradients
	isBackward                       // runs on behalf of autograd
	isRegion                         // code made by torch.compile
	isComm                           // talks to other GPUs, or to other ranks without one
	isScalarRead                     // reads one value back: .item(), float(), bool()
	isShapeRead                      // must know values to know a shape: nonzero, masks
	isCopyOp                         // an operator that copies: .to(), .cpu()
	isCollect                        // Python's garbage collector
	isDMA                            // moves memory on an accelerator that marks that as a kernel
	isLibrary                        // a Python frame of an installed package, not of the user
)

// meanings gives every name of the trace its meaning, by NameID.
func meanings(t *trace.Trace) []meaning {
	all := make([]meaning, t.Names())
	for i := range all {
		all[i] = meaningOf(t.String(trace.NameID(i)))
	}
	return all
}

// exactly are the names that mean something as they stand.
var exactly = map[string]meaning{
	"aten::item": isScalarRead, "aten::_local_scalar_dense": isScalarRead, "aten::is_nonzero": isScalarRead,
	"aten::equal":   isScalarRead,
	"aten::nonzero": isShapeRead, "aten::masked_select": isShapeRead, "aten::unique": isShapeRead,
	"aten::_unique2":           isShapeRead,
	"aten::unique_consecutive": isShapeRead, "aten::nonzero_numpy": isShapeRead, "aten::unique_dim": isShapeRead,
	"aten::to": isCopyOp, "aten::_to_copy": isCopyOp, "aten::copy_": isCopyOp, "aten::cpu": isCopyOp,
	"np.asarray(jax.Array)": isSync, "block_until_ready": isSync, "BlockHostUntilDone": isSync, "Await": isSync,
	"IteratorGetNext": isLoader, "cudaMemcpy": isCopyCall | isSync, "hipMemcpy": isCopyCall | isSync,
	"PythonRefManager::CollectGarbage": isCollect, "<built-in function collect>": isCollect | isLibrary,
}

// prefixes mean something, no matter what follows them.
var prefixes = []struct {
	text string
	is   meaning
}{
	{"ProfilerStep#", isStep},
	{"enumerate(DataLoader)", isLoader},
	{"Optimizer.step", isOptimizer},
	{"Optimizer.zero_grad", isZeroGrad},
	{"autograd::engine::", isBackward},
	{"Torch-Compiled Region", isRegion},
	{"## Call CompiledFxGraph", isRegion},
	{"CompiledFunction", isRegion},
	{"nccl", isComm},
	{"rccl", isComm},
	{"hccl", isComm},
	{"msccl", isComm},
	{"nvshmem", isComm},
	{"void cross_device_reduce", isComm},
	{"gloo:", isComm},
	{"mpi:", isComm},
	{"ucc:", isComm},
	{"Iterator::", isLoader},
	{"cuGraphLaunch", isLaunchCall},
	{"runFunction", isLaunchCall}, // of MTIA's runtime
	{"dma_request", isDMA},
	{"<built-in ", isLibrary},
	{"nn.Module: ", isLibrary},
}

// meaningOf tells what a name says.
func meaningOf(name string) meaning {
	if m, ok := exactly[name]; ok {
		return m
	}
	for _, p := range prefixes {
		if strings.HasPrefix(name, p.text) {
			return p.is
		}
	}
	if m := callMeaning(name); m != 0 {
		return m
	}
	if f, ok := frameOf(name); ok {
		return f.meaning()
	}
	switch {
	case strings.Contains(name, "ncclKernel"), strings.Contains(name, "ncclDevKernel"), strings.Contains(name, "all_reduce_kernel"),
		strings.Contains(name, "multimem_all_gather"), strings.Contains(name, "allreduce_fusion_kernel"): // torch's over symmetric memory, FlashInfer's
		return isComm
	case strings.Contains(name, "(dynamo_timed)"), name == "PJRT_Client_Compile", strings.HasPrefix(name, "BackendCompile"),
		strings.HasPrefix(name, "XlaCompile"), strings.HasPrefix(name, "CompileAndLoad"):
		return isCompile
	case strings.HasPrefix(name, "aten::"), strings.HasPrefix(name, "void "):
		return 0
	}
	return rangeMeaning(name)
}

// ofDriver reports whether a name is of a call of the CUDA or HIP runtime, or of the CUDA driver.
func ofDriver(name string) bool {
	return strings.HasPrefix(name, "cu") || strings.HasPrefix(name, "hip")
}

// callMeaning knows the calls of the CUDA and HIP runtimes and of the CUDA driver.
func callMeaning(name string) meaning {
	call, ok := strings.CutPrefix(name, "cuda")
	if !ok {
		if call, ok = strings.CutPrefix(name, "hip"); !ok {
			if call, ok = strings.CutPrefix(name, "cu"); !ok {
				return 0
			}
		}
	}
	switch {
	case strings.HasPrefix(call, "LaunchKernel"), strings.HasPrefix(call, "LaunchCooperative"), strings.HasPrefix(call, "GraphLaunch"),
		strings.HasPrefix(call, "ModuleLaunch"), strings.HasPrefix(call, "ExtLaunch"),
		strings.HasPrefix(call, "ExtModuleLaunch"),
		strings.HasPrefix(call, "HccModuleLaunch"):
		return isLaunchCall
	case strings.HasPrefix(call, "DeviceSynchronize"), strings.HasPrefix(call, "CtxSynchronize"):
		return isSync | isDeviceSync
	case strings.HasPrefix(call, "StreamSynchronize"), strings.HasPrefix(call, "EventSynchronize"):
		return isSync
	case strings.HasPrefix(call, "MemsetAsync"), strings.HasPrefix(call, "Memset"):
		return isFillCall
	case strings.HasPrefix(call, "Memcpy"):
		return isCopyCall
	case strings.HasPrefix(call, "Malloc"), strings.HasPrefix(call, "Free"), strings.HasPrefix(call, "HostAlloc"), strings.HasPrefix(call, "HostRegister"),
		strings.HasPrefix(call, "HostFree"), strings.HasPrefix(call, "HostMalloc"), strings.HasPrefix(call, "MemAlloc"),
		strings.HasPrefix(call, "MemFree"),
		strings.HasPrefix(call, "MemCreate"), strings.HasPrefix(call, "MemMap"), strings.HasPrefix(call, "MemUnmap"),
		strings.HasPrefix(call, "MemRelease"),
		strings.HasPrefix(call, "MemSetAccess"), strings.HasPrefix(call, "MemAddress"):
		return isAlloc
	case strings.HasPrefix(call, "ModuleLoad"), strings.HasPrefix(call, "LibraryLoad"), strings.HasPrefix(call, "GraphInstantiate"):
		return isCompile
	}
	return 0
}

// rangeMeaning reads the names that people give to ranges: NVTX, record_function, Lightning's actions.
func rangeMeaning(name string) meaning {
	words := split(name)
	switch {
	case saysLoading(words):
		return isLoader
	case has(words, "gradient", "activation", "function", "recompute"):
		return 0 // recomputing activations is called checkpointing too
	case has(words, "checkpoint", "checkpointing"), has(words, "save") && has(words, "model", "state"):
		return isCheckpoint
	}
	return 0
}

// saysLoading reports whether words speak of fetching data. "data" alone must be all that is said.
func saysLoading(words []string) bool {
	switch {
	case has(words, "h2d", "to", "gpu", "cuda", "size", "ptr", "norm", "parallel", "type", "shape", "index"):
		return false // moves a batch that is already there, or asks about it
	case has(words, "dataloader", "dataloading", "loader", "collate"), has(words, "input") && has(words, "pipeline"):
		return true
	case len(words) == 1 && has(words, "data", "batch", "dataset"):
		return true
	case has(words, "data", "batch", "batches", "minibatch", "dataset"):
		return has(words, "load", "loading", "loads", "next", "fetch", "fetching", "get", "make", "read", "wait",
			"prefetch", "prepare", "iterator")
	}
	return false
}

// frame is a Python frame as profilers write it.
type frame struct {
	file     string
	line     string
	function string
}

// frameOf reads "train.py(57): step" (torch) and "$train.py:57 step" (JAX).
func frameOf(name string) (frame, bool) {
	if jax, ok := strings.CutPrefix(name, "$"); ok {
		place, function, ok := strings.Cut(jax, " ")
		if !ok {
			return frame{}, false
		}
		file, line, _ := strings.Cut(place, ":")
		return frame{file, line, function}, true
	}
	at := strings.LastIndex(name, "): ")
	open := strings.LastIndexByte(name[:max(at, 0)], '(')
	if at < 0 || open < 0 {
		return frame{}, false
	}
	return frame{name[:open], name[open+1 : at], name[at+3:]}, true
}

// String is the frame as people read it: "train.py:57 step".
func (f frame) String() string {
	if f.line == "" {
		return f.function
	}
	return f.file + ":" + f.line + " " + f.function
}

// jaxFiles are files of JAX and of Python's library, which JAX's profiler names without folder.
var jaxFiles = map[string]bool{
	"array.py": true, "api.py": true, "pjit.py": true, "profiler.py": true, "pxla.py": true, "dispatch.py": true,
	"xla_bridge.py":     true,
	"traceback_util.py": true, "tree_util.py": true, "threading.py": true, "contextlib.py": true, "functools.py": true,
	"multiarray.py": true,
}

// inLibrary reports whether a frame is of an installed package, of Python itself, or of generated code.
func (f frame) inLibrary() bool {
	begins := func(prefix string) bool { return strings.HasPrefix(f.file, prefix) }
	return f.line == "" || begins("torch/") || begins("jax/") || begins("<") || jaxFiles[f.file] ||
		strings.Contains(f.file, "site-packages") || strings.Contains(f.file, "/lib/python")
}

func (f frame) meaning() (m meaning) {
	if f.inLibrary() {
		m |= isLibrary
	}
	switch {
	case strings.Contains(f.file, "torch/utils/data/") && f.function != "__iter__",
		(f.function == "__getitem__" || f.function == "__next__") && f.ofData():
		return m | isLoader
	case strings.Contains(f.file, "torch/_dynamo/convert_frame"),
		strings.Contains(f.file, "torch/_inductor/") && f.compiles(), f.function == "backend_compile":
		return m | isCompile
	case strings.HasSuffix(f.file, "torch/serialization.py") && f.function == "save":
		return m | isCheckpoint
	case f.function == "collect" && strings.HasPrefix(f.file, "gc"):
		return m | isCollect
	case f.function == "block_until_ready" && m&isLibrary != 0:
		return m | isSync
	}
	if m&isLibrary == 0 {
		m |= rangeMeaning(f.function)
	}
	return m
}

// ofData reports whether the file's name speaks of data: a dictionary, os.environ and a list
// of modules have a __getitem__ too.
func (f frame) ofData() bool {
	for _, w := range split(f.file) {
		if strings.Contains(w, "data") && w != "metadata" {
			return true
		}
	}
	return false
}

// compiles reports whether the function compiles. What was compiled is run by functions of
// the same files: compile_fx.py has a "run".
func (f frame) compiles() bool {
	return strings.Contains(f.function, "compile") && !strings.Contains(f.function, "compiled")
}

// split cuts a name into lower-case words at everything that is not a letter, and at capitals.
func split(name string) (words []string) {
	start := -1
	for i := 0; i <= len(name); i++ {
		letter := i < len(name) && (name[i]|0x20 >= 'a' && name[i]|0x20 <= 'z' || name[i] >= '0' && name[i] <= '9')
		capital := letter && name[i] <= 'Z' && name[i] >= 'A' && i > 0 && name[i-1] >= 'a'
		if start >= 0 && (!letter || capital) {
			words = append(words, strings.ToLower(name[start:i]))
			start = -1
		}
		if letter && start < 0 {
			start = i
		}
	}
	return words
}

func has(words []string, any ...string) bool {
	for _, w := range words {
		for _, a := range any {
			if w == a {
				return true
			}
		}
	}
	return false
}
