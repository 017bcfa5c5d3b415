package chrome

import (
	"errors"
	"math"
	"math/bits"
	"strconv"
)

// micros reads a decimal number of microseconds at b[i] and returns nanoseconds, exact to
// the last digit: no float is involved. Further digits are rounded. It returns the
// position behind the number, or ok=false where there is none.
func micros(b []byte, i int) (ns int64, next int, ok bool) {
	start := i
	negative := b[i] == '-'
	if negative {
		i++
	}
	var n uint64
	digits := i
	for ; b[i]-'0' <= 9; i++ {
		n = n*10 + uint64(b[i]-'0')
	}
	if i-digits > 15 { // could pass 2^63 ns
		return decimal(b, start, 3)
	}
	n *= 1000
	seen := i > digits
	if b[i] == '.' {
		i++
		scale := uint64(100)
		for ; b[i]-'0' <= 9; i++ {
			seen = true
			if scale > 0 {
				n += scale * uint64(b[i]-'0')
				scale /= 10
			} else {
				if b[i] >= '5' {
					n++
				}
				for i++; b[i]-'0' <= 9; i++ {
				}
				break
			}
		}
	}
	if b[i]|0x20 == 'e' {
		return decimal(b, start, 3)
	}
	if !seen {
		return 0, start, false
	}
	if negative {
		return -int64(n), i, true
	}
	return int64(n), i, true
}

// beyond is what numbers too large for nanoseconds become: so far off that the event is
// recognised as impossible, yet safe to add.
const beyond = math.MaxInt64 / 4

// decimal reads any decimal number at b[i] times 10^shift, rounded, limited to ±beyond.
func decimal(b []byte, i, shift int) (v int64, next int, ok bool) {
	start := i
	negative := b[i] == '-'
	if negative || b[i] == '+' {
		i++
	}
	var n uint64
	seen, point, lost := false, false, 0
	for ; ; i++ {
		switch c := b[i]; {
		case c-'0' <= 9:
			seen = true
			if hi, lo := bits.Mul64(n, 10); hi == 0 && lo <= math.MaxUint64-9 && lost == 0 {
				n = lo + uint64(c-'0')
				if point {
					shift--
				}
			} else if !point {
				shift++
				lost++
			} else {
				lost++
			}
			continue
		case c == '.' && !point:
			point = true
			continue
		}
		break
	}
	if !seen {
		return 0, start, false
	}
	if b[i]|0x20 == 'e' {
		j := i + 1
		for b[j] == '-' || b[j] == '+' || b[j]-'0' <= 9 {
			j++
		}
		exponent, err := strconv.Atoi(string(b[i+1 : j])) // the limits, where it is beyond them
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			return 0, start, false
		}
		shift += max(-100, min(100, exponent))
		i = j
	}
	v = scaled(n, shift)
	if negative {
		v = -v
	}
	return v, i, true
}

// scaled is n times 10^shift, rounded, at most beyond.
func scaled(n uint64, shift int) int64 {
	for ; shift > 0 && n > 0; shift-- {
		if n > beyond/10 {
			n = beyond
			break
		}
		n *= 10
	}
	for ; shift < -1 && n > 0; shift++ {
		n /= 10
	}
	if shift == -1 {
		n = n/10 + n%10/5
	}
	return int64(min(n, beyond))
}

// integer reads a whole number at b[i]; fractions are rounded. Numbers beyond 2^63 that
// fit 64 bits without a sign wrap around, as they do in the programs that write them.
func integer(b []byte, i int) (v int64, next int, ok bool) {
	start := i
	negative := b[i] == '-'
	if negative {
		i++
	}
	var n uint64
	digits := i
	for ; b[i]-'0' <= 9; i++ {
		n = n*10 + uint64(b[i]-'0')
	}
	switch {
	case b[i] == '.' || b[i]|0x20 == 'e' && i > digits:
		return decimal(b, start, 0)
	case i == digits:
		return 0, start, false
	case i-digits > 18:
		if u, err := strconv.ParseUint(string(b[digits:i]), 10, 64); err == nil {
			n = u
		} else {
			return decimal(b, start, 0)
		}
	}
	if negative {
		return -int64(n), i, true
	}
	return int64(n), i, true
}

// float reads a number that may have a fraction; NaN where there is none.
func float(b []byte) float64 {
	v, err := strconv.ParseFloat(string(b), 64)
	if err != nil {
		return math.NaN()
	}
	return v
}
