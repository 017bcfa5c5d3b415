package open

import (
	"context"
	"os"
	"testing"
)

// BenchmarkRead reads the largest real trace, decompression included.
func BenchmarkRead(b *testing.B) {
	path := folder + "launchbound.pt.trace.json.gz"
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(info.Size())
	b.ReportAllocs()
	for b.Loop() {
		traces, err := Read(context.Background(), []string{path}, Options{})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(traces[0].Bytes())/float64(traces[0].Len()), "B/event")
	}
}
