package rule

import (
	"context"
	"os"
	"runtime"
	"testing"

	"saturate/internal/project"
)

// BenchmarkScan reads the folder that SATURATE_BENCH_SOURCES names and runs
// every rule over it, on one core: what saturate scan does, without printing.
func BenchmarkScan(b *testing.B) {
	folder := os.Getenv("SATURATE_BENCH_SOURCES")
	if folder == "" {
		b.Skip("SATURATE_BENCH_SOURCES is not set to a folder of Python sources")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	lines := 0
	for b.Loop() {
		p, err := project.Load(context.Background(), []string{folder}, project.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := OnSource(context.Background(), p, Selection{}); err != nil {
			b.Fatal(err)
		}
		lines += p.Lines()
	}
	b.ReportMetric(float64(lines)/b.Elapsed().Seconds(), "lines/s")
}
