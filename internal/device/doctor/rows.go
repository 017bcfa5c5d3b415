package doctor

import (
	"fmt"
	"slices"
	"strings"

	"saturate/internal/device"
	"saturate/internal/human"
)

// Row is one thing of the machine for a person to read.
type Row struct {
	Group   string `json:"group"` // GPU, Python, CPU, Disk
	Thing   string `json:"thing"`
	Value   string `json:"value"`
	State   State  `json:"state"`
	Without string `json:"without,omitempty"` // what will not work
	Get     string `json:"get,omitempty"`     // how to get it
}

// State is how a thing stands.
type State string

const (
	OK      State = "ok"
	Missing State = "missing"
	Limited State = "limited" // here, but not as it should be
	Unknown State = "unknown" // not told, or not measured
)

// Rows says everything, a line a thing, in reading order.
func (d Diagnosis) Rows() []Row {
	pythons := d.pythonRows() // never empty
	return slices.Concat(
		group("GPU", d.gpuRows(), d.driverRows(), d.copyRows()),
		group("Python", pythons[:1], d.packageRows(), pythons[1:]), // packages stand behind the interpreter that has them
		group("CPU", d.processorRows()),
		group("Disk", d.diskRows()),
	)
}

func group(name string, parts ...[]Row) []Row {
	rows := slices.Concat(parts...)
	for i := range rows {
		rows[i].Group = name
	}
	return rows
}

// Summary is the answer in a sentence or two.
func (d Diagnosis) Summary() []string {
	var sentences []string
	switch gpu, here := d.Hardware.Best(); {
	case !here:
		sentences = append(sentences, "No GPU found: training runs on the CPU.")
	case d.Torch == nil:
		sentences = append(sentences, d.countGPUs(gpu)+".")
	case d.torchRow().State == OK:
		sentences = append(sentences, fmt.Sprintf("%s, and torch %s sees %s.", d.countGPUs(gpu), d.Torch.Version,
			pronoun(d.torchSees())))
	default:
		sentences = append(sentences, fmt.Sprintf("%s, but torch %s cannot use %s.", d.countGPUs(gpu),
			d.Pythons[0].Packages["torch"], pronoun(len(d.Hardware.GPUs))))
	}
	var wanting []string
	for _, row := range d.Rows() {
		if (row.State == Missing || row.State == Limited) && !slices.Contains(wanting, row.Thing) {
			wanting = append(wanting, row.Thing)
		}
	}
	if len(wanting) > 0 {
		sentences = append(sentences, "Missing or limited: "+strings.Join(wanting, ", ")+".")
	}
	return sentences
}

func (d Diagnosis) countGPUs(best device.GPU) string {
	n := 0
	for _, gpu := range d.Hardware.GPUs {
		if gpu.Name == best.Name {
			n++
		}
	}
	if n == len(d.Hardware.GPUs) {
		return human.Plural(n, "GPU") + " (" + best.Name + ")"
	}
	return fmt.Sprintf("%s (%s and others)", human.Plural(len(d.Hardware.GPUs), "GPU"), best.Name)
}

// torchSees counts the GPUs that torch can use.
func (d Diagnosis) torchSees() int {
	switch {
	case d.Torch == nil:
		return 0
	case d.Torch.MPS:
		return max(d.Torch.GPUs, 1)
	}
	return d.Torch.GPUs
}

func pronoun(n int) string {
	if n == 1 {
		return "it"
	}
	return "them"
}

// joined puts the parts that are not empty behind each other.
func joined(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}
