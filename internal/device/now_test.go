package device

import (
	"context"
	"errors"
	"testing"
)

// saying is a machine whose nvidia-smi says this.
type saying struct {
	Host
	text string
}

func (s saying) Run(context.Context, string, ...string) ([]byte, error) {
	if s.text == "" {
		return nil, errors.New("not found")
	}
	return []byte(s.text), nil
}

func TestReadGPUs(t *testing.T) {
	list := ReadGPUs(context.Background(), saying{text: "0, NVIDIA H200, 37, 61440, 143771, 412.55\n1, NVIDIA GB10, [N/A], [N/A], [N/A], [N/A]\nno devices\n"})
	if len(list) != 2 || list[0] != (GPUNow{0, "NVIDIA H200", 0.37, 60 << 30, 143771 << 20, 412.55}) || list[1] != (GPUNow{Index: 1, Name: "NVIDIA GB10"}) {
		t.Errorf("%+v", list)
	}
	if list := ReadGPUs(context.Background(), saying{}); list != nil {
		t.Errorf("without nvidia-smi: %+v", list)
	}
}

func FuzzReadGPUs(f *testing.F) {
	f.Add("0, NVIDIA H200, 37, 61440, 143771, 412.55\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, g := range ReadGPUs(context.Background(), saying{text: text}) {
			if g.Used < 0 || g.Memory < 0 || g.Busy < 0 || g.Watts < 0 {
				t.Errorf("%+v", g)
			}
		}
	})
}
