package optimize

import (
	"slices"
	"strings"

	"saturate/internal/rule"
)

// areasOf says which parts of a step a rule's repair can shorten.
func areasOf(code string) []Area {
	switch code {
	case "SAT406", "SAT407", "SAT501": // the update of the weights alone
		return []Area{OptimizerArea}
	case "SAT113", "SAT114", "SAT115", "SAT701", "SAT702", "SAT809": // padding is computed like text; precision
		return []Area{ComputeArea}
	case "SAT211", "SAT313", "SAT314", "SAT318", "SAT411", "SAT412", "SAT506", "SAT801", "SAT807": // kernels, and what Python does to launch them
		return []Area{ComputeArea, HostArea}
	case "SAT204", "SAT312": // the copy, and the memory that is made for it
		return []Area{TransferArea, HostArea}
	case "SAT705": // reads every sample
		return []Area{DataArea}
	}
	switch {
	case slices.Contains(loaderGroup.codes, code):
		return loaderGroup.areas
	case strings.HasPrefix(code, "SAT1"): // samples that cost less
		return []Area{DataArea, WorkersArea}
	case strings.HasPrefix(code, "SAT2"):
		return []Area{DataArea}
	case strings.HasPrefix(code, "SAT4"), strings.HasPrefix(code, "SAT5"), strings.HasPrefix(code, "SAT6"):
		return []Area{ComputeArea}
	}
	return []Area{HostArea}
}

// onGPU are rules whose repair does nothing for a program that trains on the CPU: it spares waits for a GPU and copies to it, uses
// its tensor cores or its memory, or concerns several of them.
var onGPU = []string{
	"SAT203", "SAT204", "SAT301", "SAT302", "SAT303", "SAT307", "SAT308", "SAT311", "SAT312", "SAT316",
	"SAT401", "SAT402", "SAT403", "SAT404", "SAT407", "SAT414", "SAT418", "SAT419", "SAT501", "SAT502", "SAT508",
	"SAT604", "SAT605", "SAT701", "SAT702", "SAT711", "SAT809",
}

const compiling = "SAT411"

// notHere is why a candidate is not tried where the program uses no GPU; nothing where it is.
func (p *protocol) notHere(c Candidate) string {
	compiles := slices.Equal(c.Codes, []string{compiling})
	asked := slices.ContainsFunc(p.Rules.Select, func(name string) bool {
		return strings.EqualFold(name, compiling) || name == rule.Find(compiling).Name
	})
	switch {
	case !slices.ContainsFunc(c.Codes, func(code string) bool { return !slices.Contains(onGPU, code) }), compiles && c.Fix > 0: // the second makes CUDA graphs
		return "acts on a GPU"
	case compiles && !asked:
		return "compiling takes a CPU long, in every run; --only " + compiling + " tries it all the same"
	}
	return ""
}
