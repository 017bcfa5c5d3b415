package doctor

import (
	"fmt"
	"strings"

	"saturate/internal/device"
	"saturate/internal/human"
)

// oldestPython is the first that the tools for torch still run on.
const oldestPython = 9 // of 3.x

func (d Diagnosis) pythonRows() []Row {
	var offer []Row
	if d.Offered != "" {
		offer = []Row{{
			Thing: "also python", Value: d.Offered + ", not run: this folder may come from somebody else",
			State: OK, Get: "saturate doctor --python " + d.Offered,
		}}
	}
	return append(d.interpreterRows(), offer...)
}

func (d Diagnosis) interpreterRows() []Row {
	if d.Quick {
		return []Row{{Thing: "python", Value: "skipped (--quick)", State: Unknown}}
	}
	if len(d.Pythons) == 0 {
		return []Row{{
			Thing: "python", Value: "none found", State: Missing,
			Without: "profile, verify, tune and optimize, which run your program; scan and analyze work",
			Get: fmt.Sprintf("install Python 3.%d or newer, activate an environment, or choose one with --python",
				oldestPython),
		}}
	}
	var rows []Row
	for i, p := range d.Pythons {
		row := Row{Thing: "python", Value: pythonText(p), State: OK}
		if i > 0 {
			row.Thing = "also python"
			row.Value += packagesText(p)
		}
		var major, minor int
		_, err := fmt.Sscanf(p.Version, "%d.%d", &major, &minor)
		switch {
		case p.Problem != "":
			row.Value, row.State = fmt.Sprintf("%s (%s): %s", p.Command, p.Origin, p.Problem), Limited
			row.Without, row.Get = "your program, if it uses this Python", "repair or recreate the environment"
			if p.Origin == "--python" {
				row.Get = "choose a working interpreter with --python"
			}
		case err == nil && (major < 3 || major == 3 && minor < oldestPython):
			row.State = Limited
			row.Without = "current torch and transformers, and the probe of profile and verify"
			row.Get = fmt.Sprintf("Python 3.%d or newer", oldestPython)
		}
		if i > 0 && row.State == Limited && p.Origin == "PATH" {
			row.State, row.Without, row.Get = OK, "", "" // an old one beside the one in use harms nobody
		}
		rows = append(rows, row)
	}
	return rows
}

func pythonText(p Python) string {
	where := p.Executable
	if where == "" {
		where = p.Command
	}
	name := p.Version
	if p.Implementation != "" && p.Implementation != "CPython" {
		name = p.Implementation + " " + name
	}
	return fmt.Sprintf("%s at %s (%s)", name, where, p.Origin)
}

func packagesText(p Python) string {
	var text string
	for _, name := range []string{"torch", "jax"} {
		if version := p.Packages[name]; version != "" {
			text += ", " + name + " " + version
		}
	}
	return text
}

// packageRows tell of the frameworks in the first interpreter.
func (d Diagnosis) packageRows() []Row {
	if len(d.Pythons) == 0 || d.Pythons[0].Version == "" {
		return nil
	}
	return []Row{d.torchRow(), d.transformersRow(), d.jaxRow()}
}

// pip is the command that installs something. Where the system owns the interpreter, pip refuses, so the command makes
// an environment first.
func (d Diagnosis) pip(what string) string {
	if d.Pythons[0].Managed {
		return d.Pythons[0].Executable + " -m venv .venv && .venv/bin/pip install " + what + " (or: uv venv && uv pip install " + what + ")"
	}
	return d.Pythons[0].Executable + " -m pip install " + what
}

func (d Diagnosis) torchRow() Row {
	row := Row{Thing: "torch", Value: d.Pythons[0].Packages["torch"], State: OK}
	gpu, here := d.Hardware.Best()
	t := d.Torch
	switch {
	case row.Value == "":
		row.Value, row.State = "not installed", Missing
		row.Without, row.Get = "profile, verify, tune and bench of torch programs", d.pip("torch")
	case t == nil:
		row.Value += ", import skipped (--quick)"
	case t.Version == "":
		row.Value, row.State = row.Value+": import fails: "+t.Problem, Limited
		row.Without, row.Get = "every torch program", d.pip("--force-reinstall torch")
	case !here:
		row.Value = t.text()
	case d.torchSees() == 0:
		row.Value, row.State = t.text()+", sees no GPU", Limited
		if t.Problem != "" {
			row.Value += ": " + t.Problem
		}
		row.Without, row.Get = "training on the "+gpu.Name, t.advice(gpu)
	case gpu.Backend == device.CUDA && t.HIP == "" && !hasCode(t.Archs, gpu.ComputeCapability):
		row.Value, row.State = t.text()+", does not support "+gpu.Arch, Limited
		row.Without, row.Get = "torch kernels on the "+gpu.Name, "a torch build that supports "+gpu.Arch+
			": https://pytorch.org/get-started/locally"
	default:
		row.Value = t.text() + ", sees " + human.Plural(d.torchSees(), "GPU")
	}
	return row
}

func (t Torch) text() string {
	build := "CPU build"
	switch {
	case t.CUDA != "":
		build = "CUDA " + t.CUDA
	case t.HIP != "":
		build = "ROCm " + t.HIP
	case t.MPS:
		build = "MPS"
	}
	text := fmt.Sprintf("%s (%s)", t.Version, build)
	if t.Seconds > 0 {
		text += fmt.Sprintf(", imports in %.1f s", t.Seconds)
	}
	return text
}

// advice is for a torch that sees no GPU although there is one.
func (t Torch) advice(gpu device.GPU) string {
	switch {
	case gpu.Backend == device.CUDA && t.CUDA == "", gpu.Backend == device.ROCm && t.HIP == "":
		return fmt.Sprintf("install a torch built for %s: https://pytorch.org/get-started/locally", gpu.Backend)
	case gpu.Backend == device.ROCm:
		return "join the groups render and video (usermod -aG render,video), and check HIP_VISIBLE_DEVICES"
	case gpu.Backend == device.MPS:
		return "macOS 14 or newer and an arm64 Python (not one that runs under Rosetta)"
	}
	return "a newer driver, for CUDA " + t.CUDA + ", or a torch for an older CUDA; check CUDA_VISIBLE_DEVICES"
}

// hasCode says whether a build has code for a GPU: machine code of the same generation and not newer,
// or PTX, which newer GPUs translate. An empty list or capability tells nothing.
func hasCode(archs []string, capability string) bool {
	var major, minor int
	if n, _ := fmt.Sscanf(capability, "%d.%d", &major, &minor); n != 2 || len(archs) == 0 {
		return true
	}
	for _, arch := range archs {
		kind, digits, _ := strings.Cut(arch, "_")
		var number int
		if n, _ := fmt.Sscanf(digits, "%d", &number); n != 1 {
			continue
		}
		if kind == "sm" && number/10 == major && number%10 <= minor || kind == "compute" && number <= 10*major+minor {
			return true
		}
	}
	return false
}

func (d Diagnosis) transformersRow() Row {
	row := Row{Thing: "transformers", Value: d.Pythons[0].Packages["transformers"], State: OK}
	if row.Value == "" {
		row.Value, row.State = "not installed", Missing
		row.Without, row.Get = "Hugging Face models and the whisper example", d.pip("transformers")
	}
	return row
}

func (d Diagnosis) jaxRow() Row {
	packages := d.Pythons[0].Packages
	row := Row{Thing: "jax", Value: packages["jax"], State: OK}
	gpu, here := d.Hardware.Best()
	if row.Value == "" {
		row.Value, row.State = "not installed", Missing
		row.Without, row.Get = "bench, profile and tune of jax programs", d.pip("jax")
		return row
	}
	if !here || gpu.Backend != device.CUDA {
		return row
	}
	for _, plugin := range []string{"jax-cuda13-plugin", "jax-cuda12-plugin"} {
		if version := packages[plugin]; version != "" {
			row.Value += ", " + plugin + " " + version
			return row
		}
	}
	row.Value, row.State = row.Value+", without its CUDA plugin", Limited
	extra := "cuda12"
	if major := majorVersion(strings.TrimPrefix(gpu.API, "CUDA ")); major >= 13 {
		extra = "cuda13"
	}
	row.Without, row.Get = "jax on the "+gpu.Name+": it computes on the CPU", d.pip(`"jax[`+extra+`]"`)
	return row
}
