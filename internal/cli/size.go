package cli

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// size is a flag for a number of bytes, with a unit or without: 32GiB, 1.5 GB, 4096.
type size int64

// sizeUnits are what a unit stands for; K, M and G alone are the powers of two, as in other tools.
var sizeUnits = map[string]float64{
	"": 1, "b": 1,
	"kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12,
	"k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40,
	"kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40,
}

// String writes a whole number of binary units short, and every other number as bytes: Set reads it back unchanged.
func (s *size) String() string {
	for _, unit := range []string{"TiB", "GiB", "MiB", "KiB"} {
		if one := int64(sizeUnits[strings.ToLower(unit)]); *s > 0 && int64(*s)%one == 0 {
			return strconv.FormatInt(int64(*s)/one, 10) + unit
		}
	}
	return strconv.FormatInt(int64(*s), 10)
}

func (s *size) Type() string { return "size" }

func (s *size) Set(text string) error {
	text = strings.TrimSpace(text)
	number := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ")
	one, known := sizeUnits[strings.ToLower(strings.TrimSpace(text[len(number):]))]
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || !known || !(v >= 0) || v*one >= math.MaxInt64 {
		return errors.New("use a size such as 32GiB, 500MB or a number of bytes")
	}
	if whole, err := strconv.ParseInt(number, 10, 64); err == nil && one == 1 {
		*s = size(whole) // a float would round it
		return nil
	}
	*s = size(v * one)
	return nil
}
