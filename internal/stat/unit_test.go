package stat

import "testing"

func TestFormat(t *testing.T) {
	for _, test := range []struct {
		value float64
		unit  string
		want  string
	}{
		{0.0123, "s/it", "12.30 ms/it"},
		{1.42, "s/it", "1.420 s/it"},
		{4.2e-5, "s", "42.00 µs"},
		{5400, "s", "5400 s"},
		{-0.5, "s", "-500.0 ms"},
		{0, "s/it", "0 s/it"},
		{nan, "s/it", "NaN s/it"},
		{inf, "", "+Inf"},
		{3 << 29, "B", "1.500 GiB"},
		{512, "B/it", "512.0 B/it"},
		{12345.6, "samples/s", "12346 samples/s"},
		{12.3456, "samples/s", "12.35 samples/s"},
		{0.25, "", "0.25"},
	} {
		if got := Format(test.value, test.unit); got != test.want {
			t.Errorf("%g %s: %q, want %q", test.value, test.unit, got, test.want)
		}
	}
}

func TestBetter(t *testing.T) {
	for unit, want := range map[string]int{"s/it": -1, "s": -1, "sec/it": -1, "samples/s": 1, "B": -1, "B/s": 1, "": 0, "loss": 0, "steps": 0} {
		if got := Better(unit); got != want {
			t.Errorf("%q: %d, want %d", unit, got, want)
		}
	}
}
