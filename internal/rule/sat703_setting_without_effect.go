package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// settingWithoutEffect finds settings of torch that do nothing.
var settingWithoutEffect = Rule{
	Code: "SAT703", Name: "setting-without-effect", Severity: Warning, Subject: AboutSettings,
	Areas: []Area{HostArea},
	Title: "this setting has no effect",
	What: "A number or bool assigned to a name in torch, torch.backends or torch.cuda that is not a setting, " +
		"such as torch.backends.cudnn.workspace_limit or torch.backends.cuda.allow_tf32. An environment variable " +
		"that no library reads, such as CUDNN_BENCHMARK. OMP_NUM_THREADS or MKL_NUM_THREADS set after torch was " +
		"imported.",
	Why: "These modules silently accept any attribute, and nothing reads it. Assigning to a function's name " +
		"overwrites the function. Thread libraries read their variables once, when they are loaded.",
	Fine: "Never: the line has no effect.",
	Advice: "Remove it, or use an existing setting: torch.backends.cuda.matmul.allow_tf32, " +
		"torch.backends.cudnn.benchmark_limit, PYTORCH_CUDA_ALLOC_CONF. Set thread variables before the first import.",
	Bad:    "torch.backends.cuda.allow_tf32 = True",
	Good:   "torch.backends.cuda.matmul.allow_tf32 = True",
	Safety: Unsafe,
	Source: func(p *SourcePass) {
		for _, a := range p.Module.Assignments {
			if to, isName := a.Target.(*pysrc.Attribute); !isName || a.Augmented || to.AttrStart == 0 { // setattr, below
				continue
			}
			cut := strings.LastIndexByte(a.Name, '.')
			if cut < 0 {
				continue
			}
			module, name := a.Name[:cut], a.Name[cut+1:]
			known, ours := settable[module]
			if !ours || known[name] || strings.HasPrefix(name, "_") ||
				!p.isPlain(a.Value) && (meant[a.Name] == "" || isFunction(p.Eval(a.Value))) ||
				!strings.HasPrefix(module, "torch.backends") && meant[a.Name] == "" {
				continue // elsewhere only what is known to be meant otherwise: others hang their own marks there
			}
			p.doesNothing(a.Target, a.Name).Fix(Unsafe, "remove the line; it has no effect", p.RemoveStatement(a.Target))
		}
		for _, c := range p.CallsTo("setattr") { // setattr(torch.backends.cudnn, "workspace_limit", 1)
			name, ok := c.ArgAt(1).Str()
			if module := c.ArgAt(0); ok && settable[module.Name] != nil && !settable[module.Name][name] &&
				(meant[module.Name+"."+name] != "" ||
					strings.HasPrefix(module.Name, "torch.backends") && c.ArgAt(2).Kind == project.Literal) {
				p.doesNothing(c, module.Name+"."+name)
			}
		}
		for _, a := range p.Module.Assignments {
			if variable, ok := strings.CutPrefix(a.Name, "os.environ."); ok && unread[variable] != "" {
				p.Report(a.Target, nearlyCertain).Saying("no library reads %s; the line has no effect", variable).
					Advising("You probably meant %s.", unread[variable]).
					Fix(Unsafe, "remove the line; it has no effect", p.RemoveStatement(a.Target))
			}
		}
		p.threadsTooLate()
	},
}

// doesNothing reports an attribute that torch takes and does not read.
func (p *SourcePass) doesNothing(at Node, name string) *Report {
	r := p.Report(at, project.Certain).Saying("%s is not a torch setting; the line has no effect", name)
	if real := meant[name]; real != "" {
		r.Advising("You probably meant %s.", real)
	}
	return r
}

// isFunction reports a value that replaces a function: a patch, and no setting.
func isFunction(v Value) bool {
	return v.Kind == project.Callable || v.Kind == project.Type || v.IsNone()
}

// unread are variables of the environment that people set for torch and that neither it nor
// its libraries read, and what is meant by each. They were looked for in torch 2.9 and 2.15.
var unread = map[string]string{
	"CUDNN_BENCHMARK":       "torch.backends.cudnn.benchmark = True",
	"TORCH_CUDNN_BENCHMARK": "torch.backends.cudnn.benchmark = True",
	"CUDNN_WORKSPACE_LIMIT": "CUBLASLT_WORKSPACE_SIZE for matrix products; convolutions have no such limit",
	"TORCH_NUM_THREADS":     "torch.set_num_threads(…), or OMP_NUM_THREADS before the program starts",
	"DISABLE_TF32":          "NVIDIA_TF32_OVERRIDE=0, or torch.backends.cuda.matmul.allow_tf32 = False",
}

// settable are the attributes that a module of torch reads when they are set.
// They were listed from torch 2.15; older versions have fewer.
var settable = map[string]map[string]bool{
	"torch.backends.cudnn": setOfNames("enabled", "deterministic", "benchmark", "benchmark_limit", "allow_tf32",
		"fp32_precision", "depthwise_kernel"),
	"torch.backends.cuda":       {},
	"torch.backends.mkldnn":     setOfNames("enabled", "deterministic", "allow_tf32", "fp32_precision"),
	"torch.backends.mkl":        {},
	"torch.backends.mps":        {},
	"torch.backends.openmp":     {},
	"torch.backends.mha":        {},
	"torch.backends.kleidiai":   {},
	"torch.backends.cusparselt": {},
	"torch.backends.nnpack":     {},
	"torch.backends.miopen":     setOfNames("immediate"),
	"torch.backends.opt_einsum": setOfNames("enabled", "strategy"),
	"torch.backends":            setOfNames("fp32_precision", "flags_frozen"),
	"torch.cuda":                {},
	"torch.autograd":            {},
	"torch":                     {},
}

// meant is the setting that people mean by one that does not exist.
var meant = map[string]string{
	"torch.backends.cuda.allow_tf32":         "torch.backends.cuda.matmul.allow_tf32 = True",
	"torch.backends.allow_tf32":              "torch.backends.cuda.matmul.allow_tf32 = True",
	"torch.backends.cudnn.workspace_limit":   "CUBLASLT_WORKSPACE_SIZE (in KiB) for matrix products, or torch.backends.cudnn.benchmark_limit, which limits how many algorithms are tried; torch has no workspace limit for convolutions",
	"torch.backends.cudnn.benchmarks":        "torch.backends.cudnn.benchmark = True",
	"torch.backends.cudnn.fastest":           "torch.backends.cudnn.benchmark = True",
	"torch.backends.cudnn.verbose":           "CUDNN_LOGINFO_DBG=1 and CUDNN_LOGDEST_DBG=stdout in the environment",
	"torch.backends.mps.fast_math":           "PYTORCH_MPS_FAST_MATH=1 in the environment",
	"torch.backends.mps.allow_tf32":          "torch.autocast(\"mps\", dtype=torch.bfloat16); Apple's GPUs have no TF32",
	"torch.backends.benchmark":               "torch.backends.cudnn.benchmark = True",
	"torch.backends.deterministic":           "torch.backends.cudnn.deterministic = True",
	"torch.backends.cuda.enable_flash_sdp":   "torch.backends.cuda.enable_flash_sdp(True)",
	"torch.backends.cuda.flash_sdp_enabled":  "torch.backends.cuda.enable_flash_sdp(True)",
	"torch.manual_seed":                      "torch.manual_seed(…), a call",
	"torch.set_num_threads":                  "torch.set_num_threads(…), a call",
	"torch.set_float32_matmul_precision":     "torch.set_float32_matmul_precision(\"high\"), a call",
	"torch.float32_matmul_precision":         "torch.set_float32_matmul_precision(\"high\"), a call",
	"torch.autograd.set_detect_anomaly":      "torch.autograd.set_detect_anomaly(…), a call",
	"torch.cuda.memory_fraction":             "torch.cuda.set_per_process_memory_fraction(…)",
	"torch.backends.cuda.max_split_size_mb":  "PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:…",
	"torch.cuda.max_split_size_mb":           "PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:…",
	"torch.backends.cuda.matmul_allow_tf32":  "torch.backends.cuda.matmul.allow_tf32 = True",
	"torch.backends.cudnn.matmul.allow_tf32": "torch.backends.cuda.matmul.allow_tf32 = True",
}

// isPlain reports a number, bool or string: no function that replaces another.
func (p *SourcePass) isPlain(e pysrc.Expr) bool {
	if v := p.Eval(e); v.Kind == project.Literal {
		return v.Scalar.Type != project.Null
	}
	b, ok := e.(*pysrc.BinOp) // 1 << 30
	return ok && p.isPlain(b.Left) && p.isPlain(b.Right)
}

// threadsTooLate reports thread variables that are set behind the import of torch.
func (p *SourcePass) threadsTooLate() {
	for _, a := range p.AssignsTo("os.environ.OMP_NUM_THREADS", "os.environ.MKL_NUM_THREADS") {
		if p.Imports("subprocess") || p.Imports("multiprocessing") ||
			project.HasWord(a.Func.BaseName(), "worker", "spawn", "launch") ||
			len(p.CallsTo("torch.multiprocessing.spawn", "torch.set_num_threads")) > 0 {
			continue // meant for processes that are started later, or set for torch as well
		}
		beside := p.siblingsOf(p.Module.StatementAt(a.Target.Bounds().Start))
		for _, s := range append(slices.Clone(p.Module.File.Module.Body), beside...) {
			if s.Bounds().Start < a.Target.Bounds().Start && importsTorch(s) {
				p.Report(a.Target, nearlyCertain).Because(s).
					Saying("%s is set after torch was imported, too late to have an effect", strings.TrimPrefix(a.Name, "os.environ.")).
					Advising("Set it before the import or call torch.set_num_threads.")
				break
			}
		}
	}
}

func importsTorch(s pysrc.Stmt) bool {
	switch s := s.(type) {
	case *pysrc.Import:
		for _, a := range s.Names {
			if a.Name == "torch" || strings.HasPrefix(a.Name, "torch.") {
				return true
			}
		}
	case *pysrc.ImportFrom:
		return s.Level == 0 && (s.Module == "torch" || strings.HasPrefix(s.Module, "torch."))
	}
	return false
}
