package setting

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"saturate/internal/files"
	"saturate/internal/process"
)

// Machine is what conditions are held against: the hardware and the libraries as the program's own
// Python sees them. The names in JSON are those of conditions. A zero or empty field is not known.
type Machine struct {
	Backend string `json:"backend"` // cuda, rocm, mps, cpu; may be changed to what the user asks for
	OS      string `json:"os"`      // linux, darwin, windows
	Arch    string `json:"arch"`    // x86_64, arm64
	Python  string `json:"python"`  // version of Python

	Torch     string `json:"torch,omitempty"`      // 2.15.0; empty when it cannot be imported
	Build     string `json:"build,omitempty"`      // of torch: cu132, rocm6.4, cpu
	CUDA      string `json:"cuda,omitempty"`       // version that torch was built for
	HIP       string `json:"hip,omitempty"`        // version that torch was built for
	CUDNN     string `json:"cudnn,omitempty"`      // version of cuDNN
	OpenMP    string `json:"openmp,omitempty"`     // what torch's threads come from: gomp, iomp5, omp
	JAX       string `json:"jax,omitempty"`        // version of JAX
	JAXPlugin string `json:"jax_plugin,omitempty"` // cuda or rocm; empty when JAX computes on the CPU

	GPU               string `json:"gpu,omitempty"`                // name of the GPU
	ComputeCapability string `json:"compute_capability,omitempty"` // 9.0
	GFX               string `json:"gfx,omitempty"`                // gfx942
	GPUs              int    `json:"gpus,omitempty"`               // number of GPUs
	GPUMemory         int    `json:"gpu_memory_mib,omitempty"`     // memory of the GPU in MiB
	GPUFree           int    `json:"gpu_free_mib,omitempty"`       // of it, free
	GPUCores          string `json:"gpu_cores,omitempty"`          // the CPU cores near the GPU: 0-15,32-47
	MacOS             string `json:"macos,omitempty"`              // version of macOS

	CPU        string            `json:"cpu,omitempty"`             // name of the CPU
	CPUFlags   []string          `json:"cpu_flags,omitempty"`       // those that matter: amx_bf16, avx512_bf16 …
	Cores      int               `json:"cores"`                     // whole cores that the program may use
	Threads    int               `json:"threads"`                   // hardware threads that it may use
	Nodes      int               `json:"nodes,omitempty"`           // of memory (NUMA)
	MemoryFree int               `json:"memory_free_mib,omitempty"` // free memory of the machine in MiB
	HugePages  string            `json:"huge_pages,omitempty"`      // always, madvise, never
	Libc       string            `json:"libc,omitempty"`            // glibc, musl
	Libraries  map[string]string `json:"libraries,omitempty"`       // jemalloc, tcmalloc, iomp5: where they are
	Cache      string            `json:"cache,omitempty"`           // a folder for what is worth keeping between runs
	XLAFlags   []string          `json:"xla_flags,omitempty"`       // of those that the table uses, what this jaxlib knows

	Variables map[string]string `json:"variables,omitempty"` // of the environment, those that the table speaks of
	Notes     []string          `json:"notes,omitempty"`     // what could not be found out
}

// errNoPython is an interpreter that is not here or does not run.
var errNoPython = errors.New("cannot query the interpreter")

// detectTimeout is far above an import of torch from a cold disk.
const detectTimeout = 3 * time.Minute

// Detect asks an interpreter what it sees. The variables are those that the program will start with;
// nil stands for this process's own.
func Detect(ctx context.Context, python string, env []string) (Machine, error) {
	ctx, cancel := context.WithTimeout(ctx, detectTimeout)
	defer cancel()
	out, err := ask(ctx, python, env, nil, "detect")
	if err != nil {
		return Machine{}, fmt.Errorf("%w: %s", errNoPython, err)
	}
	return readMachine(out)
}

func readMachine(text []byte) (Machine, error) {
	var m Machine
	if err := json.Unmarshal(answer(text), &m); err != nil {
		return m, fmt.Errorf("%w: invalid output: %w", errNoPython, err)
	}
	if m.Backend == "" || m.OS == "" {
		return m, fmt.Errorf("%w: its output has neither a backend nor a system", errNoPython)
	}
	return m, nil
}

// ask runs saturate_tune.py in an interpreter of its own, with the plan, if any, in a file.
func ask(ctx context.Context, python string, env []string, plan []byte, verb string) ([]byte, error) {
	folder, err := os.MkdirTemp("", "saturate-tune-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	script, planFile := filepath.Join(folder, "saturate_tune.py"), filepath.Join(folder, "plan.json")
	if err := errors.Join(files.Write(script, Module()), files.Write(planFile, plan)); err != nil {
		return nil, err
	}
	if env == nil {
		env = os.Environ()
	}
	var (
		stdout bytes.Buffer
		stderr process.Tail
	)
	cmd := process.Command(ctx, python, script, verb, planFile)
	cmd.Env = append(env[:len(env):len(env)], "PYTHONDONTWRITEBYTECODE=1")
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("%s timed out while importing", python)
		}
		return nil, fmt.Errorf("%s failed (%w)%s", python, err, process.Clause(process.LastLine(stderr)))
	}
	return stdout.Bytes(), nil
}

// answer is the last line that can be one: libraries print when they are imported, and when they go.
func answer(text []byte) []byte {
	lines := bytes.Split(text, []byte("\n"))
	for _, line := range slices.Backward(lines) {
		if bytes.HasPrefix(line, []byte("{")) {
			return line
		}
	}
	return text
}

// facts are the fields by the names that conditions use.
func (m Machine) facts() map[string]any {
	text, err := json.Marshal(m)
	if err != nil { // a Machine holds nothing that JSON cannot
		return nil
	}
	var facts map[string]any
	if json.Unmarshal(text, &facts) != nil {
		return nil
	}
	facts["device"] = m.Backend // what torch calls it
	if m.Backend == "rocm" {
		facts["device"] = "cuda"
	}
	return facts
}

// fact looks a name up: a field, an entry of one as in libraries.jemalloc, or a variable in capitals.
func fact(facts map[string]any, name string) any {
	if outer, inner, ok := strings.Cut(name, "."); ok {
		entries, _ := facts[outer].(map[string]any)
		return entries[inner]
	}
	if value, ok := facts[name]; ok {
		return value
	}
	if strings.ToUpper(name) == name {
		variables, _ := facts["variables"].(map[string]any)
		return variables[name]
	}
	return nil
}
