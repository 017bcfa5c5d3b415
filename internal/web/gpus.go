package web

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"
	"time"

	"saturate/internal/device"
)

// How often the GPUs are asked while somebody watches, and after how long again where there was no answer. A question
// is a short process of the driver's own tool: often enough to see, seldom enough not to disturb what is measured.
const (
	gpuEvery = 2 * time.Second
	gpuRest  = time.Minute
)

// gpuMeter holds the last reading of this machine's GPUs. All pages share it.
type gpuMeter struct {
	ask func(context.Context) []device.GPUNow // nil without GPUs

	mu   sync.Mutex
	last []device.GPUNow
	next time.Time // to ask
}

// now returns the last answer at once, and asks again where that is old.
func (m *gpuMeter) now() []device.GPUNow {
	if m.ask == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if time.Now().After(m.next) {
		m.next = time.Now().Add(gpuRest) // nobody else asks meanwhile
		go func() {
			ctx, cancel := context.WithTimeout(context.Background(), gpuRest)
			defer cancel()
			list := m.ask(ctx)
			m.mu.Lock()
			defer m.mu.Unlock()
			m.last = list
			if len(list) > 0 {
				m.next = time.Now().Add(gpuEvery)
			}
		}()
	}
	return m.last
}

// gpus tells what the GPUs do, when that changed.
func (f *follower) gpus() (told bool, err error) {
	list := f.library.gpus.now()
	if len(list) == 0 {
		return false, nil
	}
	data, err := json.Marshal(list)
	if err != nil || bytes.Equal(data, f.toldGPUs) && time.Since(f.toldAt) < gpuEvery {
		return false, err
	}
	f.toldGPUs, f.toldAt = data, time.Now()
	return true, f.send("gpus", list)
}
