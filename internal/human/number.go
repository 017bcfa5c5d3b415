// Package human writes figures and words the way people read them.
//
//	number.go  units, significant digits, percentages, ratios
//	words.go   plurals and lists within a sentence
//	exit.go    what a program's exit code means
//	width.go   how wide a string is on a terminal; wrapping and padding
//	clean.go   control characters made visible, so that data cannot steer a terminal or a page
package human

import (
	"math"
	"strconv"
	"strings"
)

// Missing stands where there is no figure.
const Missing = "–"

// Scale writes several values of one unit alike: same prefix, same number of decimals.
type Scale struct {
	Unit     string // with its prefix: ms, GB, samples/s
	factor   float64
	decimals int
}

// prefixes of the units that take them. Others are written as they are.
// What follows a slash does not matter: s/it is written as s is.
var prefixes = map[string][]struct {
	factor float64
	prefix string
}{
	"s":    {{1, ""}, {1e-3, "m"}, {1e-6, "µ"}, {1e-9, "n"}},
	"B":    {{1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}},
	"iB":   {{1 << 50, "P"}, {1 << 40, "T"}, {1 << 30, "G"}, {1 << 20, "M"}, {1 << 10, "K"}, {1, ""}},
	"FLOP": {{1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1, ""}},
}

// NewScale chooses the prefix by the largest value and the decimals by the smallest,
// so that it keeps three significant digits, within reason.
func NewScale(unit string, values ...float64) Scale {
	largest, smallest := 0.0, math.Inf(1)
	for _, v := range values {
		v = math.Abs(v)
		if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		largest, smallest = max(largest, v), min(smallest, v)
	}
	s := Scale{Unit: unit, factor: 1}
	if largest == 0 {
		return s
	}
	above, _, _ := strings.Cut(unit, "/")
	for _, p := range prefixes[above] {
		s.factor, s.Unit = p.factor, strings.TrimPrefix(p.prefix+unit, "i") // bytes below a KiB are plain bytes
		if largest >= p.factor*0.9995 {
			break
		}
	}
	if whole(values) && s.factor == 1 {
		return s
	}
	s.decimals = min(max(2-int(math.Floor(math.Log10(smallest/s.factor*1.0005))), 0), 4)
	return s
}

// WithDecimals is the same scale with a set number of decimals.
func (s Scale) WithDecimals(n int) Scale {
	s.decimals = min(max(n, 0), 9)
	return s
}

// Factor is how much one of the scaled unit is in the plain unit: 0.001 for ms.
func (s Scale) Factor() float64 { return s.factor }

func whole(values []float64) bool {
	for _, v := range values {
		if v != math.Trunc(v) && !math.IsNaN(v) {
			return false
		}
	}
	return true
}

// Number writes v without its unit.
func (s Scale) Number(v float64) string {
	switch {
	case math.IsNaN(v):
		return Missing
	case math.IsInf(v, 1):
		return "∞"
	case math.IsInf(v, -1):
		return "−∞"
	}
	v /= s.factor
	if math.Abs(v) >= 1e15 {
		return strings.Replace(strconv.FormatFloat(v, 'e', 2, 64), "-", "−", 1)
	}
	return group(strconv.FormatFloat(v, 'f', s.decimals, 64))
}

// Value writes v with its unit.
func (s Scale) Value(v float64) string {
	n := s.Number(v)
	if n == Missing || s.Unit == "" {
		return n
	}
	if s.Unit == "%" {
		return n + "%"
	}
	return n + " " + s.Unit
}

// Value writes one value with its unit: "1.42 s", "613 ms", "12.4 GB", "1,204 steps".
func Value(v float64, unit string) string { return NewScale(unit, v).Value(v) }

// Seconds writes a time to three digits.
func Seconds(v float64) string { return Value(v, "s") }

// Duration is a time that people plan with: 12.0 s, 3.4 min, 2.5 h. Measurements are written by Seconds.
func Duration(seconds float64) string {
	switch {
	case seconds >= 5400:
		return strconv.FormatFloat(seconds/3600, 'f', 1, 64) + " h"
	case seconds >= 90:
		return strconv.FormatFloat(seconds/60, 'f', 1, 64) + " min"
	}
	return strconv.FormatFloat(seconds, 'f', 1, 64) + " s"
}

// Nanoseconds writes a time, as traces give it, to three digits.
func Nanoseconds(ns int64) string { return Seconds(float64(ns) / 1e9) }

// Integer is any whole number that Count writes.
type Integer interface {
	~int | ~int32 | ~int64 | ~uint32 | ~uint64
}

// Count writes a whole number with commas between thousands.
func Count[N Integer](n N) string {
	if n < 0 {
		return group(strconv.FormatInt(int64(n), 10))
	}
	return group(strconv.FormatUint(uint64(n), 10))
}

// Bytes writes a size on disk or on the wire, in powers of ten: "1.52 GB".
func Bytes[N Integer](n N) string { return Value(float64(n), "B") }

// Memory writes a size in memory, in powers of two: "1.42 GiB".
func Memory[N Integer](n N) string { return Value(float64(n), "iB") }

// Percent writes a share of one: "57%", "0.4%", and "99.7%", which is not all.
func Percent(share float64) string {
	if math.IsNaN(share) || math.IsInf(share, 0) {
		return Missing
	}
	p := share * 100
	switch {
	case math.Abs(p-math.Round(p)) < 1e-9, math.Abs(p) >= 9.95 && math.Abs(p) <= 99, math.Abs(p) >= 99.95:
		return group(strconv.FormatFloat(p, 'f', 0, 64)) + "%"
	case math.Abs(p) < 0.05:
		return "<0.1%"
	default:
		return group(strconv.FormatFloat(p, 'f', 1, 64)) + "%"
	}
}

// Change writes how far a ratio is from one: 0.43 is "−57.0%", 1.02 is "+2.0%".
func Change(ratio float64) string {
	if math.IsNaN(ratio) || math.IsInf(ratio, 0) {
		return Missing
	}
	s := group(strconv.FormatFloat((ratio-1)*100, 'f', 1, 64)) + "%"
	if !strings.HasPrefix(s, "−") {
		s = "+" + s
	}
	return s
}

// Times writes a factor: "2.33×".
func Times(ratio float64) string {
	if math.IsNaN(ratio) || math.IsInf(ratio, 0) {
		return Missing
	}
	decimals := 2
	if math.Abs(ratio) >= 99.95 {
		decimals = 0
	} else if math.Abs(ratio) >= 9.995 {
		decimals = 1
	}
	return group(strconv.FormatFloat(ratio, 'f', decimals, 64)) + "×"
}

// Range writes two factors with one sign: "12.5–20.9×".
func Range(low, high float64) string {
	from, to := Times(low), Times(high)
	if from == Missing || to == Missing {
		return Missing
	}
	return strings.TrimSuffix(from, "×") + "–" + to
}

// Faster writes how many times as fast something may become, without digits that say nothing: "1.5–4× faster", or
// "up to 4× faster" where it may also stay as it is.
func Faster(low, high float64) string {
	text, most := Range(low, high), ""
	switch from, to := Times(low), Times(high); {
	case from == to:
		text = to
	case from == Times(1):
		text, most = to, "up to "
	}
	for _, part := range []string{"–", "×"} { // 1.00–4.50×, 1.00×
		head, tail, found := strings.Cut(text, part)
		if found && strings.Contains(head[strings.LastIndex(head, "–")+1:], ".") {
			text = strings.TrimRight(strings.TrimRight(head, "0"), ".") + part + tail
		}
	}
	return most + text + " faster"
}

// group puts commas between thousands and a true minus in front; "-0.00" loses its sign.
func group(s string) string {
	digits, negative := strings.CutPrefix(s, "-")
	if strings.Trim(digits, "0.") == "" {
		negative = false
	}
	head, tail, _ := strings.Cut(digits, ".")
	var b strings.Builder
	if negative {
		b.WriteString("−")
	}
	for i, d := range head {
		if i > 0 && (len(head)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	if tail != "" {
		b.WriteByte('.')
		b.WriteString(tail)
	}
	return b.String()
}
