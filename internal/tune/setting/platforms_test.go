package setting

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"saturate/internal/human"
)

const platforms = "../../../docs/platforms.md"

// TestPlatforms keeps the parts of docs/platforms.md that are made from the table and from the recorded runs.
func TestPlatforms(t *testing.T) {
	text, err := os.ReadFile(platforms)
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]string{"live": live(), "dead": deadList(), "seen": seen(t)}
	for _, backend := range []string{"cuda", "rocm", "mps", "cpu"} {
		sections[backend] = settingsOf(backend)
		sections["ideas for "+backend] = ideasFor(t, backend)
	}
	for name, body := range sections {
		part := regexp.MustCompile(`(?s)<!-- generated: ` + name + ` -->\n.*?<!-- end -->`)
		if !part.Match(text) {
			t.Errorf("docs/platforms.md has no part %q", name)
		}
		text = part.ReplaceAllLiteral(text, []byte("<!-- generated: "+name+" -->\n"+body+"<!-- end -->"))
	}
	golden(t, platforms, text)
}

func settingsOf(backend string) string {
	var b strings.Builder
	b.WriteString("| setting | level | what it does | how it is set | how it is checked | results |\n|---|---|---|---|---|---|\n")
	for level := Safe; level <= Measured; level++ {
		for _, s := range All() {
			if s.Level == level && slices.Contains(s.Backends, backend) {
				fmt.Fprintf(&b, "| `%s` | %d | %s%s | %s | %s | %s |\n", s.Name, s.Level, s.Title, needs(s, backend), how(s, backend), view(s), s.Numerics)
			}
		}
	}
	return b.String()
}

// needs are the conditions without which no way is left.
func needs(s Setting, backend string) string {
	all := slices.Clone(s.Needs)
	if ways := waysFor(s, backend); len(ways) > 0 && !slices.ContainsFunc(ways, func(w Way) bool { return len(w.When) == 0 }) {
		all = append(all, ways[len(ways)-1].When...) // the last one asks for the least
	}
	all = slices.DeleteFunc(all, func(c string) bool { return strings.HasPrefix(c, "backend ") || strings.HasPrefix(c, "xla_flags ") })
	for i, c := range all {
		name, rest, _ := strings.Cut(c, " ")
		all[i] = label(name) + " " + rest
	}
	if s.Smallest > 0 {
		all = append(all, "at least "+human.Count(s.Smallest)+" parameters")
	}
	if len(all) == 0 {
		return ""
	}
	return " (" + strings.Join(all, ", ") + ")"
}

func waysFor(s Setting, backend string) []Way {
	facts := map[string]any{"backend": backend}
	return slices.DeleteFunc(slices.Clone(s.Ways), func(w Way) bool {
		return slices.ContainsFunc(w.When, func(c string) bool {
			return strings.HasPrefix(c, "backend ") && unmet(c, facts) != "" || backend == "cuda" && strings.HasPrefix(c, "hip ")
		})
	})
}

func how(s Setting, backend string) string {
	w := waysFor(s, backend)[0]
	var parts []string
	for _, v := range w.Env {
		parts = append(parts, "`"+v.Name+"="+strings.TrimPrefix(v.Value, "=")+"`")
	}
	for _, k := range w.Knobs {
		if k.Set != "" {
			parts = append(parts, "`"+statement(k)+"`")
		}
	}
	if w.Hook != "" {
		parts = append(parts, "`"+w.Hand+w.Start+"`")
	}
	return strings.NewReplacer("|", "/", "{value}", "CORES", `"=cores"`, "cores", `"=cores/2"`, "cores/2").Replace(strings.Join(parts, "; "))
}

func view(s Setting) string {
	var parts []string
	if slices.ContainsFunc(s.Ways, func(w Way) bool { return len(w.Knobs) > 0 }) {
		parts = append(parts, "read back")
	}
	if s.Effect != nil {
		parts = append(parts, s.Effect.Says)
	}
	return strings.Join(parts, "; ")
}

func live() string {
	var names []string
	for _, s := range All() {
		if s.Live {
			names = append(names, "`"+s.Name+"`")
		}
	}
	return strings.Join(names, ", ") + ".\n"
}

func deadList() string {
	var b strings.Builder
	b.WriteString("| set by programs | use instead |\n|---|---|\n")
	for _, d := range dead {
		where := ""
		if len(d.When) > 0 {
			where = " (" + strings.Join(d.When, ", ") + ")"
		}
		fmt.Fprintf(&b, "| `%s`%s | %s |\n", d.Name, where, d.Instead)
	}
	return b.String()
}

// verdictWords are the stored verdicts as the page says them.
var verdictWords = map[string]string{"reads so": "read back", "already so": "default"}

// seen is what peers/tune/readback has stored, one column for each run.
func seen(t *testing.T) string {
	t.Helper()
	type row struct{ View, Setting, Verdict string }
	var heads []string
	verdicts, order := map[string]map[string]string{}, []string{}
	files, err := filepath.Glob("../../../peers/tune/results/readback-*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no results of peers/tune/readback: %v", err)
	}
	slices.SortFunc(files, func(a, b string) int { return compareVersions(a, b) })
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var run struct {
			Machine Machine
			Rows    []row
		}
		// Libraries are stored by name alone.
		var loose struct {
			Machine map[string]any
			Rows    []row
		}
		if err := json.Unmarshal(text, &loose); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		delete(loose.Machine, "libraries")
		machineText, _ := json.Marshal(loose.Machine)
		if err := json.Unmarshal(machineText, &run.Machine); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		device := run.Machine.GPU
		if device == "" {
			device = "CPU"
		}
		head := "torch " + run.Machine.Torch + ", " + device
		heads = append(heads, head)
		for _, r := range loose.Rows {
			if _, ok := Find(r.Setting); !ok {
				continue // it was given up since
			}
			key := r.Setting + "|" + r.View
			if verdicts[key] == nil {
				verdicts[key] = map[string]string{}
				order = append(order, key)
			}
			verdict, _, _ := strings.Cut(r.Verdict, ":")
			if word, ok := verdictWords[verdict]; ok {
				verdict = word
			}
			verdicts[key][head] = verdict
		}
	}
	place := func(key string) (view string, at int) {
		name, view, _ := strings.Cut(key, "|")
		return view, slices.Index(Names(), name)
	}
	slices.SortFunc(order, func(a, b string) int {
		viewA, atA := place(a)
		viewB, atB := place(b)
		return cmp.Or(strings.Compare(viewA, viewB), atA-atB)
	})
	var b strings.Builder
	fmt.Fprintf(&b, "| setting | for | %s |\n|---|---|%s\n", strings.Join(heads, " | "), strings.Repeat("---|", len(heads)))
	for _, key := range order {
		name, on, _ := strings.Cut(key, "|")
		fmt.Fprintf(&b, "| `%s` | %s |", name, on)
		for _, head := range heads {
			fmt.Fprintf(&b, " %s |", verdicts[key][head])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func compareVersions(a, b string) int {
	version := func(path string) string {
		return strings.Split(strings.TrimPrefix(filepath.Base(path), "readback-"), "-")[0]
	}
	if d := compare(version(a), version(b)); d != 0 {
		return d
	}
	return strings.Compare(a, b)
}

// idea is a proposal of a list of platform optimisations that is often copied, and what became of it.
type idea struct {
	backend, text string
	settings      []string // those that take it up; none: it cannot be done from the outside
	why           string
	needless      bool // it is there already, or worth nothing any more
}

var ideas = []idea{
	{"cuda", "level 0: cuDNN benchmark mode", []string{"cudnn-benchmark"}, "Not safe for everybody: it tries again for each new shape and changes rounding, so it is measured.", false},
	{"cuda", "level 0: memory defaults", []string{"expandable-segments", "pinned-loaders"}, "", false},
	{"cuda", "level 1: TF32 on Ampere and later", []string{"tf32"}, "Through the older names, which keep both views of the state in agreement.", false},
	{"cuda", "level 1: `cudnn.workspace_limit` by free memory", []string{"cublaslt-workspace", "cublas-workspace"}, "The attribute does not exist: torch accepts it and ignores it. The real knobs are those of cuBLAS, used where 8 GiB are free.", false},
	{"cuda", "level 1: defaults for tensor cores", []string{"tf32", "bf16-autocast", "fp16-accumulation"}, "", false},
	{"cuda", "float16 with a gradient scaler", nil, "The scaler must wrap the program's own backward and step; `scan` suggests that edit.", false},
	{"cuda", "level 2: cuDNN's algorithms", []string{"cudnn-benchmark", "cudnn-benchmark-limit"}, "", false},
	{"cuda", "level 2: allocation strategies", []string{"allocator-async", "allocator-gc", "pinned-by-register"}, "", false},
	{"cuda", "level 2: batch sizes", nil, "A batch is the program's work, not a setting: another size is another result per step.", false},
	{"cuda", "attention kernels", []string{"sdpa-flash", "sdpa-efficient", "sdpa-cudnn", "sdpa-math"}, "", false},
	{"cuda", "compilation", []string{"compile", "compile-reduce-overhead", "compile-max-autotune"}, "Skipped for models under a million parameters.", false},
	{"cuda", "copies that do not block", nil, "Only the program knows when it reuses the host's buffer; `scan` suggests that edit.", false},
	{"cuda", "lazy loading of CUDA modules", nil, "torch has it on by itself since 1.13.", true},
	{"cuda", "several processes near their GPU", []string{"near-gpu"}, "", false},
	{"cuda", "JAX: products by Triton wherever it can", nil, "`--xla_gpu_triton_gemm_any=true` is what XLA does by itself since jaxlib 0.5.1; in 0.5.0 and before it is false.", true},
	{"rocm", "level 0: cuDNN benchmark mode, which is MIOpen's here", []string{"cudnn-benchmark"}, "Measured, as on CUDA.", false},
	{"rocm", "level 0: memory defaults", []string{"expandable-segments", "pinned-loaders"}, "Segments grow from ROCm 7.0 on.", false},
	{"rocm", "level 1: by the GFX architecture", []string{"hipblaslt", "rocm-tf32", "rocm-attention-ck"}, "It is in gcnArchName; the name of the device, where it is often looked for, does not have it.", false},
	{"rocm", "level 1: memory strategies by VRAM", []string{"hipblaslt-workspace", "allocator-gc"}, "The workspace where 16 GiB are free.", false},
	{"rocm", "level 1: by generation", []string{"hipblaslt", "bf16-autocast"}, "", false},
	{"rocm", "level 2: MIOpen's algorithms", []string{"miopen-find", "miopen-immediate"}, "", false},
	{"rocm", "level 2: data layouts", []string{"channels-last"}, "", false},
	{"rocm", "level 2: kernel parameters", []string{"tunableop", "compile-max-autotune"}, "", false},
	{"mps", "level 0: basic settings", []string{"mps-fallback", "fused-optimizer"}, "", false},
	{"mps", "level 1: by chip, M1 to M3", nil, "torch has no knob that depends on the chip: it chooses its kernels itself.", false},
	{"mps", "level 1: unified memory", []string{"mps-watermark"}, "Measured, because it turns swapping into out of memory.", false},
	{"mps", "level 1: the Neural Engine", nil, "torch's MPS runs on the GPU; the Neural Engine is reached through Core ML alone, with another model file.", false},
	{"mps", "level 2: graph capture", nil, "torch.mps has no graphs to capture.", false},
	{"mps", "level 2: CPU or GPU memory for tensors by size", nil, "The memory is the same; the device of a tensor is the program's choice.", false},
	{"mps", "level 2: transfers between CPU and GPU", nil, "They are the program's own copies; `scan` finds those that make it wait.", false},
	{"mps", "fast mathematics and Metal kernels", []string{"mps-fast-math", "mps-prefer-metal"}, "", false},
	{"mps", "bfloat16", []string{"bf16-autocast"}, "From macOS 14 on.", false},
	{"cpu", "threads and where they run", []string{"threads", "threads-half", "threads-one", "interop-threads", "bound-threads", "iomp-blocktime"}, "Counted in whole cores that the process may use, a container's share included.", false},
	{"cpu", "another malloc", []string{"jemalloc", "tcmalloc", "kept-memory", "huge-pages"}, "The first two where the library is installed.", false},
	{"cpu", "bfloat16 and AMX", []string{"bf16-products", "bf16-autocast"}, "", false},
	{"cpu", "IPEX", nil, "Its development has ended; what it did is in torch.", true},
	{"cpu", "compilation and layouts", []string{"compile", "compile-max-autotune", "channels-last"}, "", false},
	{"cpu", "JAX: matmul precision", nil, "XLA accepts every precision on the CPU and computes in float32: bfloat16, tensorfloat32 and BF16_BF16_F32 all gave a relative error of 4e-7 with jaxlib 0.10.2. On GPUs it is `jax-bf16-products`.", false},
	{"cpu", "JAX: donated buffers", nil, "Which arguments may be overwritten is the program's knowledge; `scan` suggests that edit.", false},
}

func ideasFor(t *testing.T, backend string) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("| tip | in saturate | why |\n|---|---|---|\n")
	for _, i := range ideas {
		if i.backend != backend {
			continue
		}
		var here []string
		for _, name := range i.settings {
			s, ok := Find(name)
			if !ok || !slices.Contains(s.Backends, backend) {
				t.Errorf("%s: %s is no setting for %s", i.text, name, backend)
			}
			kind := "setting"
			if s.Level == Measured {
				kind = "candidate"
			}
			here = append(here, fmt.Sprintf("`%s` (level %d, %s)", name, s.Level, kind))
		}
		switch {
		case i.needless:
			here = []string{"not needed"}
		case len(here) == 0:
			here = []string{"not possible as a setting"}
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", i.text, strings.Join(here, ", "), i.why)
	}
	return b.String()
}
