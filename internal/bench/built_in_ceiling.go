package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"saturate/internal/bench/kernel"
	"saturate/internal/device"
	"saturate/internal/human"
)

// Sizes of the products that try for the most, and bounds of what a copy reads: twice what caches hold, within reason.
// A flush writes as much, without the upper bound: less would leave something in the caches.
var productSides = []int{1024, 2048}

const (
	leastMoved = 32 << 20
	mostMoved  = 512 << 20
)

// ceilings measures a large product and a copy.
func (b *builtIn) ceilings(ctx context.Context, sides []int, moved int64) error {
	random := rand.New(rand.NewPCG(b.plan.Seed, 1))
	fill := func(n int) []float32 {
		s := make([]float32, n)
		for i := range s {
			s[i] = random.Float32() - 0.5
		}
		return s
	}
	b.progress("the largest matrix product")
	var took float64 // of a multiplication, so far
	for i, side := range sides {
		n := float64(side)
		if i > 0 && took*n*n*n > b.plan.Time.Seconds() {
			break // a call would take longer than there is time for all
		}
		x, y, z := kernel.Matrix(fill(side*side), side, side), kernel.Matrix(fill(side*side), side,
			side), kernel.Matrix(fill(side*side), side, side)
		t, err := measure(ctx, b.plan.Effort, nil, func() error { return b.pool.MultiplyTransposed(z, x, y) })
		if err != nil {
			return err
		}
		took = slices.Min(t.Wall) / (n * n * n)
		b.out.Ceilings = append(b.out.Ceilings, MeasuredCeiling{
			Framework: "go", What: "gemm", DType: "fp32", Amount: 2 * n * n * n, Size: fmt.Sprintf("%d×%d×%d", side, side,
				side), Seconds: t.Wall,
		})
	}
	b.progress("a copy")
	values := moved / 4
	from, to := make([]float32, values), make([]float32, values)
	for i := range from {
		from[i] = float32(i) // a page that nobody wrote to is not in memory
	}
	t, err := measure(ctx, b.plan.Effort, nil, func() error { return b.pool.Copy(to, from) })
	if err != nil {
		return err
	}
	b.out.Ceilings = append(b.out.Ceilings, MeasuredCeiling{
		Framework: "go", What: "copy", Amount: float64(8 * values), Size: human.Value(float64(4*values),
			"B"), Seconds: t.Wall,
	})
	debug.FreeOSMemory()
	return nil
}

// lastLevelCache is the largest cache of the first processor; 0 where the system does not tell.
func lastLevelCache(sys device.System) (largest int64) {
	for _, path := range sys.Glob("/sys/devices/system/cpu/cpu0/cache/index*/size") {
		text, err := sys.ReadFile(path)
		if err != nil {
			continue
		}
		number := strings.TrimSpace(string(text))
		factor := int64(1)
		switch {
		case strings.HasSuffix(number, "K"):
			factor = 1 << 10
		case strings.HasSuffix(number, "M"):
			factor = 1 << 20
		}
		if n, err := strconv.ParseInt(strings.TrimRight(number, "KM"), 10, 40); err == nil {
			largest = max(largest, n*factor)
		}
	}
	return largest
}
