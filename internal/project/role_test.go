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
		if got := hasWord(tt.name, "other", "val"); got != tt.want {
			t.Errorf("%q has the word: %v, want %v", tt.name, got, tt.want)
		}
	}
}
