package analyze

import "testing"

// What the questions cost once a trace is read.
func BenchmarkEverything(b *testing.B) {
	for _, name := range []string{"starved", "launchbound"} {
		b.Run(name, func(b *testing.B) {
			load(b, name)
			b.ReportAllocs()
			for b.Loop() {
				analysed(b, name, All)
			}
		})
	}
}
