package batch

import (
	"strings"
	"testing"

	"saturate/internal/probe"
)

func TestAdvise(t *testing.T) {
	adam := probe.BatchTold{Optimizer: "AdamW", Rate: 1e-4, Accumulation: 1}
	whisper := probe.BatchTold{Optimizer: "AdamW", Rate: 1e-4, Accumulation: 4, ModelLoss: true, Model: "WhisperForConditionalGeneration"}
	for _, c := range []struct {
		name       string
		told       probe.BatchTold
		own, batch int
		want       []string // topic: part of the text
	}{
		{"the same size", adam, 8, 8, nil},
		{"Adam", adam, 8, 32, []string{"learning rate: try 0.0002 instead of 0.0001", "warm-up and schedule: divide warm-up steps and the total number of steps by 4", "steps per epoch: 32 instead of 125"}},
		{"SGD", probe.BatchTold{Optimizer: "SGD", Rate: 0.1, Accumulation: 1, BatchNorm: 53}, 8, 32, []string{"learning rate: try 0.4 instead of 0.1", "warm-up", "steps per epoch", "BatchNorm: 53 BatchNorm layers"}},
		{"accumulation absorbs it", probe.BatchTold{Optimizer: "Adam", Rate: 1e-4, Accumulation: 4}, 8, 32, []string{"accumulation: lower it from 4 to 1"}},
		{"Whisper with accumulation", whisper, 8, 32, []string{"accumulation: set gradient_accumulation_steps to 1", "learning rate", "warm-up", "steps per epoch"}},
	} {
		var got []string
		for _, a := range Advise(c.told, c.own, c.batch, 1000, 1) {
			got = append(got, a.Topic+": "+a.Text)
			if a.Rule == "" {
				t.Errorf("%s: %s has no rule", c.name, a.Topic)
			}
		}
		if len(got) != len(c.want) {
			t.Errorf("%s: %q", c.name, got)
			continue
		}
		for i, want := range c.want {
			if !strings.HasPrefix(got[i], want) {
				t.Errorf("%s: %q, want %q", c.name, got[i], want)
			}
		}
	}
}
