package cli

import "testing"

func TestSize(t *testing.T) {
	for text, want := range map[string]int64{
		"32GiB": 32 << 30, "32 gib": 32 << 30, "1.5GB": 1_500_000_000, "500MB": 500_000_000, "4096": 4096, "10B": 10, "2k": 2048,
		"9007199254740993": 9007199254740993, "0": 0,
	} {
		var s size
		if err := s.Set(text); err != nil || int64(s) != want {
			t.Errorf("%q: %d, %v, want %d", text, s, err, want)
		}
		var again size
		if err := again.Set(s.String()); err != nil || again != s {
			t.Errorf("%q is shown as %q, which is read as %d, %v", text, s.String(), again, err)
		}
	}
	for _, text := range []string{"", "GiB", "-1", "1XB", "nan", "inf", "1e30", "10000000TiB", "0x10", "1 2"} {
		var s size
		if err := s.Set(text); err == nil {
			t.Errorf("%q is read as %d", text, s)
		}
	}
}
