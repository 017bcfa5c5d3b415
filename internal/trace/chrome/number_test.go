package chrome

import (
	"math/big"
	"strings"
	"testing"
)

func TestMicros(t *testing.T) {
	for _, test := range []struct {
		in   string
		want int64
		ok   bool
	}{
		{"3844927690030.480", 3844927690030480, true},
		{"3844927690030.48", 3844927690030480, true},
		{"3844927690030", 3844927690030000, true},
		{"1700000000000000.123", 1700000000000000123, true}, // a float64 would lose the last digits
		{"747136.25100000005", 747136251, true},             // as JAX prints 747136.251
		{"1240890.5279999999", 1240890528, true},
		{"0.9996", 1000, true},
		{"0.0004", 0, true},
		{"-5.5", -5500, true},
		{".5", 500, true},
		{"5.", 5000, true},
		{"1.5e3", 1500000, true},
		{"1E-3", 1, true},
		{"1e-9", 0, true},
		{"1.8e16", beyond, true},
		{"18000000000000000000000000", beyond, true},
		{"-18000000000000000000000000", -beyond, true},
		{"1e99999999999999999999", beyond, true},
		{"1e-99999999999999999999", 0, true},
		{"1e+-3", 0, false},
		{"", 0, false},
		{"-", 0, false},
		{".", 0, false},
		{"NaN", 0, false},
		{"inf", 0, false},
	} {
		if got, _, ok := micros([]byte(test.in+"\x00"), 0); got != test.want || ok != test.ok {
			t.Errorf("micros(%q) = %d, %v; want %d, %v", test.in, got, ok, test.want, test.ok)
		}
	}
}

func TestInteger(t *testing.T) {
	for _, test := range []struct {
		in   string
		want int64
		ok   bool
	}{
		{"0", 0, true},
		{"42", 42, true},
		{"-7", -7, true},
		{"16.0", 16, true},
		{"1e3", 1000, true},
		{"9223372036854775807", 1<<63 - 1, true},
		{"18446744073709551615", -1, true}, // a thread number without a sign
		{"null", 0, false},
		{"", 0, false},
		{"-", 0, false},
	} {
		if got, _, ok := integer([]byte(test.in+"\x00"), 0); got != test.want || ok != test.ok {
			t.Errorf("integer(%q) = %d, %v; want %d, %v", test.in, got, ok, test.want, test.ok)
		}
	}
}

// FuzzMicros compares with rational numbers, which make no mistakes.
func FuzzMicros(f *testing.F) {
	for _, s := range []string{"3844927690030.480", "0.9996", "1.5e3", "-12.0005", "1e-9", "99999999999999999999.5"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, next, ok := micros([]byte(s+"\x00"), 0)
		if !ok {
			return
		}
		text := s[:next]
		if e := strings.IndexAny(text, "eE"); e >= 0 && len(text)-e > 4 {
			return // rational numbers of a million digits take too long
		}
		exact, valid := new(big.Rat).SetString(text)
		if !valid {
			t.Skip(text) // ".", which is read as far as it goes
		}
		exact.Mul(exact, big.NewRat(1000, 1))
		difference := new(big.Rat).Sub(exact, new(big.Rat).SetInt64(got))
		if limit := big.NewRat(beyond, 1); exact.Cmp(limit) >= 0 || exact.Cmp(new(big.Rat).Neg(limit)) <= 0 {
			if got != beyond && got != -beyond {
				t.Fatalf("micros(%q) = %d, want the limit", text, got)
			}
			return
		}
		if difference.Abs(difference).Cmp(big.NewRat(1, 2)) > 0 {
			// Only digits that 64 bits cannot hold may be lost.
			if size := new(big.Rat).Quo(difference, exact.Abs(exact)); size.Cmp(big.NewRat(1, 1e15)) > 0 {
				t.Fatalf("micros(%q) = %d, off by %s", text, got, difference.FloatString(3))
			}
		}
	})
}
