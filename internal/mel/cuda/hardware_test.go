//go:build linux

package melcuda

import (
	"encoding/json"
	"testing"
	"time"

	"saturate/internal/cuda"
	"saturate/internal/mel"
)

// hardware gives the first real GPU, or skips with the reason.
func hardware(t *testing.T) cuda.Device {
	t.Helper()
	driver, err := cuda.Open()
	if err != nil {
		t.Skip(err)
	}
	devices, err := driver.Devices()
	if err != nil {
		t.Fatal(err)
	}
	return devices[0]
}

// TestHardwareAgrees holds the GPU to the reference, over clips of all kinds in one ragged batch,
// in batches of many sizes, from pinned and from other memory.
func TestHardwareAgrees(t *testing.T) {
	device := hardware(t)
	for _, p := range testParams() {
		g, err := Open(device, p, new(Pins))
		if err != nil {
			t.Fatal(err)
		}
		in, out := BytesFor(p, 40000, 40000)
		for _, size := range []int{1, 3, 64} {
			lane, err := g.NewLane(2*size*in, size*out)
			if err != nil {
				t.Fatal(err)
			}
			agree(t, p, func(t *testing.T, p mel.Params, clips []Clip) {
				if size == 3 {
					defer pinRows(t, g, clips)()
				}
				if _, err := lane.Compute(clips); err != nil {
					t.Fatal(err)
				}
			})
			if err := lane.Close(); err != nil {
				t.Error(err)
			}
		}
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestHardwareSpeeds prints what the GPU does; it asserts nothing about time.
func TestHardwareSpeeds(t *testing.T) {
	device := hardware(t)
	for _, c := range []struct {
		bands, batch, lanes int
		clip                time.Duration
	}{
		{80, 1, 16, 30 * time.Second},
		{80, 16, 4, 30 * time.Second},
		{80, 16, 8, 30 * time.Second},
		{80, 64, 4, 30 * time.Second},
		{128, 16, 8, 30 * time.Second},
		{80, 48, 8, 10 * time.Second},
	} {
		s, err := Measure(device, mel.Whisper(c.bands), c.clip, c.batch, c.lanes, 400*time.Millisecond)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s", text)
		if s.Agreement.Far > 0 || s.Agreement.Share() > 0.002 {
			t.Errorf("%v", s.Agreement)
		}
	}
}
