package analyze

import (
	"fmt"
	"testing"
)

// A profiler that is told of epochs marks epochs. Its marks are cut into the steps that they hold; marks of steps are
// left as they are.
func TestMarkedEpochs(t *testing.T) {
	const loader = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"
	for _, tt := range []struct {
		name             string
		each             int // steps in a mark
		batches, updates int // in a step
		source           string
		steps            int
	}{
		{"epochs of 10 steps", 10, 1, 1, "annotation " + loader, 20},
		{"steps", 1, 1, 1, "profiler", 21},
		{"accumulated gradients", 1, 12, 1, "profiler", 21},
		{"two optimizers", 1, 1, 2, "profiler", 21},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := training(20, func(m *maker, i int, start float64) {
				if i%tt.each == 0 {
					m.step(fmt.Sprint(i/tt.each), start, float64(tt.each)*1000-10)
				}
				for k := range tt.batches {
					m.mark(loader, start+1+float64(k)*7, 6)
				}
				for k := range tt.updates {
					m.mark("Optimizer.step#SGD.step", start+800+float64(k)*50, 40)
				}
			}).step("99", 20_000, 1).analyse(t, All)
			if a.Window.StepsFrom != tt.source || len(a.Steps) != tt.steps {
				t.Errorf("%d steps from %q, want %d from %q", len(a.Steps), a.Window.StepsFrom, tt.steps, tt.source)
			}
		})
	}
}
