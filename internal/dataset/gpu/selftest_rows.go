package gpu

import (
	"fmt"
	"math"
	"slices"

	"saturate/internal/human"
)

// Rows is the test as a table: what was measured, the figure, a remark.
func (t SelfTest) Rows() (rows [][]string) {
	add := func(what, figure, remark string) { rows = append(rows, []string{what, figure, remark}) }
	for _, c := range t.Copies {
		way := map[string]string{"h2d": "to the GPU", "d2h": "to the host"}[c.Direction]
		add(fmt.Sprintf("copy %s, %s memory", way, c.Memory), fmt.Sprintf("%.1f GB/s", c.Median()), "")
	}
	s := t.Speeds
	clip := fmt.Sprintf("clips of %g s, %d bands, %d per batch", s.ClipSeconds, s.Bands, s.Batch)
	add("kernel alone", perSecond(s.Kernel), clip)
	add("kernel alone, as a CUDA graph", perSecond(s.Graph), fmt.Sprintf("%+.1f%%", 100*(s.Graph/s.Kernel-1)))
	add("with transfers", perSecond(s.Transfers),
		fmt.Sprintf("pinned memory, %.1f GB/s in and %.1f GB/s out, %d batches in flight", s.InGBps, s.OutGBps, s.Lanes))
	add("with transfers, not pinned", perSecond(s.Copied),
		"copied to and from pinned memory; a build decodes into pinned memory directly")
	for _, by := range []struct {
		who string
		Built
	}{{"", t.GPU}, {" on the CPU", t.CPU}} {
		e := by.Fresh
		add("end to end"+by.who, perSecond(e.FilesPerS), fmt.Sprintf("%s WAV files to one HDF5 file, %s",
			human.Count(e.Files), human.Plural(e.Workers, "worker")))
		add("end to end"+by.who+", overwriting", perSecond(by.Again.FilesPerS), "the same, overwriting an existing file")
	}
	add("GPU busy, with transfers", human.Percent(s.Busy), "time in kernels")
	if t.SMIBusy >= 0 {
		add("GPU busy, by nvidia-smi", human.Percent(t.SMIBusy), "counts a sample as busy if any kernel ran")
	}
	add("GPU busy, end to end", human.Percent(max(t.GPU.Fresh.Busy, t.GPU.Again.Busy)), "time in kernels")
	add("peak GPU memory", human.Memory(t.Pool.PeakBytes), fmt.Sprintf("batches of %d rows, end to end", rowsOf(t.Pool)))
	add("pinned host memory", human.Memory(t.Pool.PinnedBytes), "end to end")
	add("bound by", "", t.Bound)
	add("largest error", fmt.Sprintf("%.2g", s.Agreement.LargestError),
		fmt.Sprintf("vs float64; %.3f%% of %s values differ by one FP16 step, %d by more",
			100*s.Agreement.Share(), human.Count(s.Agreement.Values), s.Agreement.Far))
	return slices.Clip(rows)
}

func rowsOf(s Stats) int64 {
	if s.Batches == 0 {
		return 0
	}
	return (s.Rows + s.Batches - 1) / s.Batches
}

func perSecond(v float64) string { return human.Count(int64(math.Round(v))) + " files/s" }
