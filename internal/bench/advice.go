package bench

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"saturate/internal/human"
)

// advice is what follows from the parts of a case.
type advice struct{ component, finding, recommendation string }

// From which share of its roof on a part counts as good, and below which as poor.
const (
	goodRoof = 0.7
	poorRoof = 0.5
)

// worthwhile is the part of the total that a change has to save to be named.
const worthwhile = 0.05

// option is one thing that could be done, with what it would save of the total.
type option struct {
	saves float64 // ms
	text  string
}

// advise names the part that takes longest and why, and what would save most.
func advise(r CaseResult, by circumstances) advice {
	var longest ComponentResult
	device, host := 0.0, 0.0
	for _, c := range r.Components {
		if c.measured() && (!longest.measured() || c.TimeMS > longest.TimeMS) {
			longest = c
		}
		if c.GPUMS != nil && c.CPUMS != nil {
			device, host = device+float64(*c.GPUMS), host+float64(*c.CPUMS)
		}
	}
	if !longest.measured() {
		return advice{}
	}
	a := advice{component: longest.Name, finding: sentenceOf(longest, r.Case, by)}
	if only := onlyFused(r); only != "" {
		a.finding = strings.Replace(a.finding, "of the time)", "of what could be measured apart)", 1)
		a.recommendation = only
		return a
	}
	if launchBound(r, device, host) {
		a.component = "host"
		a.finding = fmt.Sprintf("the CPU: it needs %s to launch what %s computes in %s; %s is the longest part (%s)",
			human.Seconds(host/1000), by.machine.Name, human.Seconds(device/1000), longest.Title(), human.Percent(longest.Share))
		a.recommendation = "Give each call more work (a larger batch or sequence), or launch fewer: " +
			fewerLaunches(r.Framework) + "."
		if o := fuse(r, by.roof); o.text != "" {
			a.recommendation += " " + o.text
		}
		return a
	}
	options := slices.DeleteFunc([]option{fuse(r, by.roof), lowerPrecision(r, by), fill(r, longest, by)}, func(o option) bool {
		return o.text == "" || o.saves < worthwhile*float64(r.TotalMS)
	})
	slices.SortStableFunc(options, func(a, b option) int {
		return cmp.Compare(b.saves, a.saves)
	})
	var said []string
	for _, o := range options[:min(len(options), 2)] {
		said = append(said, o.text)
	}
	if len(said) == 0 {
		said = slices.DeleteFunc([]string{nothingLeft(longest), noUseFusing(r)}, func(s string) bool { return s == "" })
	}
	a.recommendation = strings.Join(said, " ")
	return a
}

// sentenceOf says how a part stands to its roof.
func sentenceOf(c ComponentResult, of Case, by circumstances) string {
	text := fmt.Sprintf("%s (%s of the time)", c.Title(), human.Percent(c.Share))
	switch {
	case c.Bound == "":
		return text + "; its roof is unknown"
	case c.AboveRoof && c.Bound == computeBound:
		return text + fmt.Sprintf(", compute-bound, at %s of the largest matrix product: that "+
			"one was disturbed, or this part uses another data type", human.Percent(c.RoofRatio))
	case c.AboveRoof:
		return text + fmt.Sprintf(", memory-bound by its size, but faster than memory (%s of "+
			"the roof): caches helped; measure a larger size", human.Percent(c.RoofRatio))
	case c.Bound == memoryBound && c.RoofRatio >= poorRoof:
		return text + fmt.Sprintf(", memory-bound: %s FLOP/byte where compute needs %s, at %s of the copy bandwidth",
			human.Value(c.Intensity, ""), human.Value(by.roof.Ridge(), ""), human.Percent(c.BandwidthRatio))
	case c.RoofRatio >= poorRoof:
		return text + fmt.Sprintf(", compute-bound: %s, %s of a large matrix product in %s",
			human.Value(c.FLOPs/float64(c.TimeMS)*1000, "FLOP/s"), human.Percent(c.ComputeRatio), of.DType)
	case by.disturbed:
		return text + fmt.Sprintf(", %s-bound by its size, at %s of its roof: other programs "+
			"used the CPU, so this is uncertain", c.Bound, human.Percent(c.RoofRatio))
	case c.Bound == memoryBound:
		return text + fmt.Sprintf(", memory-bound by its size (%s FLOP/byte), but at %s of "+
			"the copy bandwidth: neither memory nor compute is busy",
			human.Value(c.Intensity, ""), human.Percent(c.BandwidthRatio))
	}
	return text + fmt.Sprintf(", compute-bound by its size, but at %s of a large matrix product in %s: its matrices "+
		"are too small or too narrow to fill the device",
		human.Percent(c.ComputeRatio), of.DType)
}

// launchBound: most of the time goes to parts that the host cannot start fast enough.
func launchBound(r CaseResult, device, host float64) bool {
	bound := 0.0
	for _, c := range r.Components {
		if c.HostBound {
			bound += c.Share
		}
	}
	return bound > 0.5 && host >= device
}

func fewerLaunches(framework string) string {
	if framework == "jax" {
		return "put the whole step into one `jax.jit`"
	}
	return "`torch.compile(mode=\"reduce-overhead\")` records the calls as one CUDA graph"
}

// fusedNames are how the levels are called in code.
var fusedNames = map[string]map[int]string{
	"torch": {
		1: "`torch.compile`", 2: "`torch.nn.functional.scaled_dot_product_attention`",
		3: "`scaled_dot_product_attention` with the flash backend",
	},
	"jax": {
		1: "`jax.jit` around the whole attention", 2: "`jax.nn.dot_product_attention`",
		3: "`jax.nn.dot_product_attention(implementation=\"cudnn\")`",
	},
	"go": {2: "attention one head at a time", 3: "tiled attention"},
}

// fuse is to compute scores, softmax and weighted sum together.
func fuse(r CaseResult, roof Roof) option {
	apart, share := 0.0, 0.0
	for _, c := range r.Components {
		if part, ok := componentOf(c.Name); ok && part.matrix {
			if !c.measured() {
				return option{}
			}
			apart, share = apart+float64(c.TimeMS), share+c.Share
		}
	}
	best := r.Best()
	if best == nil {
		if !roof.known() {
			return option{}
		}
		element := dtypeOf(r.DType).Bytes
		least, _ := roof.seconds(fusedWork(r.Shape, element))
		return option{
			saves: apart - 1000*least,
			text: fmt.Sprintf("Fused attention would keep the scores in fast memory: scores, softmax and weighted sum (%s of "+
				"the time) move %s separately and %s fused.",
				human.Percent(share), human.Value(matrixWork(r.Shape, element).Bytes, "B"), human.Value(fusedWork(r.Shape,
					element).Bytes, "B")),
		}
	}
	// A level is held against the baseline level, measured in the same way, not against the sum of the parts.
	before := apart
	if r.Levels[0].measured() && r.Levels[0].Level == 0 {
		before = float64(r.Levels[0].TimeMS)
	}
	o := option{saves: before - float64(best.TimeMS)}
	o.text = fmt.Sprintf("Use %s (level %d%s): %s instead of %s for scores, softmax and weighted sum, %s faster",
		fusedNames[r.Framework][best.Level], best.Level, backendWords(*best), human.Seconds(float64(best.TimeMS)/1000), human.Seconds(before/1000), human.Times(before/float64(best.TimeMS)))
	if base := r.Levels[0]; base.Level == 0 && base.PeakBytes > 0 && best.PeakBytes > 0 &&
		best.PeakBytes < base.PeakBytes {
		o.text += fmt.Sprintf(", with %s of memory instead of %s", human.Memory(best.PeakBytes), human.Memory(base.PeakBytes))
	}
	if best.MaxError != nil {
		o.text += fmt.Sprintf("; largest error %.1e", float64(*best.MaxError))
	}
	o.text += "."
	return o
}

func backendWords(l LevelResult) string {
	if l.Backend == "" {
		return ""
	}
	return ", " + l.Backend
}

// lowerPrecision is to leave full float32 on a device with matrix units.
func lowerPrecision(r CaseResult, by circumstances) option {
	machine, roof := by.machine, by.roof
	if !machine.Accelerated() || r.DType != "fp32" || !roof.known() {
		return option{}
	}
	better := Roof{}
	for _, other := range by.roofs {
		if other.Framework == r.Framework && (other.DType == "bf16" || other.DType == "fp16") && other.FLOPS > better.FLOPS {
			better = other
		}
	}
	name := better.DType
	if !better.known() {
		if machine.Peak == nil || machine.Peak.BF16 == 0 || machine.Peak.FP32 == 0 {
			return option{}
		}
		better = Roof{FLOPS: roof.FLOPS * machine.Peak.BF16 / machine.Peak.FP32, Bandwidth: roof.Bandwidth}
		name = "bf16"
	}
	saves := 0.0
	for _, c := range r.Components {
		if c.measured() && c.RoofRatio > 0 {
			now, _ := roof.seconds(c.Work)
			then, _ := better.seconds(Work{c.FLOPs, c.Bytes / 2})
			saves += float64(c.TimeMS) * (1 - min(then/now, 1))
		}
	}
	return option{saves, fmt.Sprintf("In %s the compute roof is %s higher, and half the bytes "+
		"move (autocast keeps the weights in fp32).", name, human.Times(better.FLOPS/roof.FLOPS))}
}

// fill is to give the longest part sizes that use the device.
func fill(r CaseResult, longest ComponentResult, by circumstances) option {
	if by.disturbed || longest.AboveRoof || longest.RoofRatio == 0 || longest.RoofRatio >= goodRoof {
		return option{}
	}
	saves := float64(longest.TimeMS) * (1 - longest.RoofRatio/goodRoof)
	part, _ := componentOf(longest.Name)
	rows := r.Batch * r.Seq
	switch {
	case part.matrix:
		return option{} // fusing is the answer there
	case longest.Bound == memoryBound:
		return option{saves, fmt.Sprintf("%s reads its weights for only %s: a larger batch reuses them more.",
			longest.Title(), human.Plural(rows, "row"))}
	case r.DModel%64 != 0:
		return option{saves, fmt.Sprintf("A width of %d does not fit the tiles of matrix "+
			"products: use a multiple of 64, better 128.", r.DModel)}
	}
	return option{saves, fmt.Sprintf("%s multiplies %d rows by a width of %d: more rows (a "+
		"larger batch) make it up to %s faster.",
		longest.Title(), rows, r.DModel, human.Times(goodRoof/longest.RoofRatio))}
}

// onlyFused says which way is left where the scores of all pairs of positions do not fit.
func onlyFused(r CaseResult) string {
	lacking := slices.ContainsFunc(r.Components, func(c ComponentResult) bool {
		part, _ := componentOf(c.Name)
		return part.matrix && !c.measured()
	})
	best := fastest(r.Levels, 2)
	if !lacking || best == nil {
		return ""
	}
	text := fmt.Sprintf("At this size only attention without a full score table fits into "+
		"memory: use %s (level %d), which takes %s", fusedNames[r.Framework][best.Level], best.Level, human.Seconds(float64(best.TimeMS)/1000))
	if best.PeakBytes > 0 {
		text += fmt.Sprintf(" with %s of memory", human.Memory(best.PeakBytes))
	}
	return text + "."
}

// nearlyAsFast is how much longer one call in the code may take than a compiler that finds it.
const nearlyAsFast = 1.05

// Best is the level above 0 to recommend: the fastest, and the library's call before a compiler where there is hardly
// a difference. It is nil where none was measured.
func (r CaseResult) Best() *LevelResult {
	best := fastest(r.Levels, 1)
	if called := fastest(r.Levels, 2); called != nil && called.TimeMS < nearlyAsFast*best.TimeMS {
		return called
	}
	return best
}

// fastest of the levels from one on that have a time, or nil.
func fastest(levels []LevelResult, from int) *LevelResult {
	var best *LevelResult
	for i, l := range levels {
		if l.Level >= from && l.measured() && (best == nil || l.TimeMS < best.TimeMS) {
			best = &levels[i]
		}
	}
	return best
}

// noUseFusing says so where the fused ways were measured and are no faster, since everybody expects it.
func noUseFusing(r CaseResult) string {
	if len(r.Levels) == 0 || r.Levels[0].Level != 0 || !r.Levels[0].measured() {
		return ""
	}
	base := r.Levels[0]
	best := fastest(r.Levels, 2)
	if best == nil {
		return ""
	}
	text := fmt.Sprintf("Fusing saves little at this size: level %d takes %s, level 0 %s", best.Level,
		human.Seconds(float64(best.TimeMS)/1000), human.Seconds(float64(base.TimeMS)/1000))
	if base.PeakBytes > 0 && best.PeakBytes > 0 && best.PeakBytes < base.PeakBytes {
		text += fmt.Sprintf("; it saves memory: %s instead of %s", human.Memory(best.PeakBytes), human.Memory(base.PeakBytes))
	}
	return text + "."
}

// nothingLeft says why there is nothing to gain.
func nothingLeft(longest ComponentResult) string {
	switch {
	case longest.AboveRoof && longest.Bound == computeBound:
		return "Measure again on an idle machine: a part cannot be faster than its roof."
	case longest.AboveRoof:
		return "Measure a larger size: at this one, caches hide the memory cost."
	case longest.RoofRatio >= goodRoof && longest.Bound == computeBound:
		return fmt.Sprintf("%s is near its roof: only less work (a lower precision, a smaller width) makes it faster.",
			longest.Title())
	case longest.RoofRatio >= goodRoof:
		return fmt.Sprintf("%s is near its roof: only fewer bytes (a narrower type, fusing "+
			"it with what comes before) make it faster.", longest.Title())
	}
	return "None of the measured changes saves 5% of the time."
}
