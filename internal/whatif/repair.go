package whatif

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Repair is a change that can be asked about. Its name is what the user types: KEY=VALUE.
type Repair struct {
	Key, Value string
	Title      string // what is done, as a noun: "8 loader workers"
	apply      func(*Plan) error
}

// Name is how the repair is asked for.
func (r Repair) Name() string { return r.Key + "=" + r.Value }

// ChangesKernels reports whether a repair makes the GPU compute in another way; the others change when it does.
func ChangesKernels(question string) bool {
	key, _, _ := strings.Cut(question, "=")
	return key == "precision" || key == "launch" || strings.HasPrefix(key, "kernel")
}

// errNothing says that the trace has nothing that a repair could change.
var errNothing = errors.New("the trace has nothing that this changes")

// known are the repairs that need no further word. Later ones of a key replace earlier ones in a set.
var known = []Repair{
	{"loader", "free", "batches that are ready in time", loaderFree},
	{"sync", "none", "no waits for the GPU", waitsGone(ScalarWait, ShapeWait, ResultWait, DeviceWait, OtherWait)},
	{"sync", "scalar", "no values read back in the step", waitsGone(ScalarWait)},
	{"sync", "shape", "no shapes that depend on values", waitsGone(ShapeWait)},
	{"sync", "result", "no tensors copied to the host in the step", waitsGone(ResultWait)},
	{"sync", "device", "no torch.cuda.synchronize in the step", waitsGone(DeviceWait)},
	{"precision", "tf32", "matrix products in TF32", products(TF32)},
	{"precision", "bf16", "bfloat16 autocast", products(BF16)},
	{"optimizer", "foreach", "optimizer with foreach=True", optimizer(foreachOptimizer)},
	{"optimizer", "fused", "optimizer with fused=True", optimizer(fusedOptimizer)},
	{"launch", "compile", "torch.compile", compiled},
	{"launch", "graphs", "CUDA graphs", graphs},
	{"launch", "step", "the whole step, compiled, as one CUDA graph", wholeStep},
	{"copies", "pinned", "pinned memory and non_blocking=True", pinned},
	{"copies", "async", "batches copied one step ahead", prefetched},
	{"collectives", "overlapped", "collectives behind compute", overlapped},
	{"straggler", "none", "no rank that arrives late", noStraggler},
}

// Ask reads a question: repairs separated by commas.
func Ask(text string) (set []Repair, err error) {
	for word := range strings.SplitSeq(text, ",") {
		r, err := one(strings.TrimSpace(word))
		if err != nil {
			return nil, err
		}
		if i := slices.IndexFunc(set, func(x Repair) bool { return x.Key == r.Key }); i >= 0 {
			return nil, fmt.Errorf("%s is requested twice: %s and %s", r.Key, set[i].Name(), r.Name())
		}
		set = append(set, r)
	}
	return set, nil
}

func one(word string) (Repair, error) {
	key, value, ok := strings.Cut(word, "=")
	if !ok || key == "" || value == "" {
		return Repair{}, fmt.Errorf("%q is not KEY=VALUE; %s", word, usage())
	}
	for _, r := range known {
		if r.Key == key && r.Value == value {
			return r, nil
		}
	}
	switch kind, name, _ := strings.Cut(key, ":"); {
	case key == "loader":
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 || n > 1024 {
			return Repair{}, fmt.Errorf("loader=%s: use free, or a number of workers from 1 to 1024", value)
		}
		return Repair{key, value, fmt.Sprintf("%d loader workers", n), workers(n)}, nil
	case (kind == "host" || kind == "kernel") && name != "", key == "collectives":
		f, err := factor(value)
		if err != nil {
			return Repair{}, fmt.Errorf("%s=%s: %w", key, value, err)
		}
		switch kind {
		case "host":
			return Repair{key, value, fmt.Sprintf("%s in %s× the time", name, value), hostTimes(name, f)}, nil
		case "kernel":
			return Repair{key, value, fmt.Sprintf("kernel %s in %s× the time", name, value), kernelTimes(name, f)}, nil
		}
		return Repair{key, value, fmt.Sprintf("collectives in %s× the time", value), collectiveTimes(f)}, nil
	}
	var values []string
	for _, r := range known {
		if r.Key == key {
			values = append(values, r.Value)
		}
	}
	if values == nil {
		return Repair{}, fmt.Errorf("%s cannot be asked about; %s", key, usage())
	}
	return Repair{}, fmt.Errorf("%s cannot be %q: use %s", key, value, strings.Join(values, " or "))
}

func factor(text string) (float64, error) {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || !(f >= 0 && f <= 100) {
		return 0, errors.New("the factor must be a number from 0 to 100, such as 0.5")
	}
	return f, nil
}

// usage lists what can be asked.
func usage() string {
	var words []string
	for _, r := range known {
		words = append(words, r.Name())
	}
	return "use " + strings.Join(words, ", ") + ", loader=WORKERS, collectives=FACTOR, host:NAME=FACTOR or kernel:NAME=FACTOR"
}

// Choices lists what can be asked and what it means, one a line.
func Choices() string {
	var lines []string
	add := func(name, means string) { lines = append(lines, fmt.Sprintf("  %-23s %s", name, means)) }
	for _, r := range known {
		add(r.Name(), r.Title)
	}
	add("loader=WORKERS", "this number of loader workers")
	add("collectives=FACTOR", "collectives in FACTOR × their time")
	add("host:NAME=FACTOR", "an operator, range or function on the host in FACTOR × its time")
	add("kernel:NAME=FACTOR", "a kernel in FACTOR × its time")
	return strings.Join(lines, "\n")
}
