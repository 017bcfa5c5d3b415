package project

import "testing"

func TestHasWord(t *testing.T) {
	for _, tt := range []struct {
		name string
		want bool
	}{
		{"val", true},
		{"val_loader", true},
		{"loader_val", true},
		{"valLoader", true},
		{"MyValLoader", true},
		{"VAL_LOADER", true},
		{"val2", true},
		{"x.val-y", true},
		{"_val", true},
		{"value", false},
		{"interval", false},
		{"evaluation", false},
		{"", false},
		{"__", false},
		{"VALLoader", false},
	} {
		if got := HasWord(tt.name, "other", "val"); got != tt.want {
			t.Errorf("%q has the word: %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestEndsInWord(t *testing.T) {
	for name, want := range map[string]bool{"loss": true, "vae_loss": true, "ctcLoss": true, "loss_scale": false, "logits_to_keep": false, "glossary": false} {
		if got := endsInWord(name, "loss", "logits"); got != want {
			t.Errorf("%q ends in the word: %v, want %v", name, got, want)
		}
	}
}
