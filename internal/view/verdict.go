package view

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"saturate/internal/human"
	"saturate/internal/verify"
)

// verdictLines say what an experiment shows, a line each: the result, the evidence, and what a reader has to know
// besides.
func verdictLines(v verify.Result) []string {
	return append([]string{headline(v)}, slices.Concat(evidence(v), caveats(v))...)
}

// headline is the result: `FASTER: 17.6× (95% interval 12.5–20.9×): 1.08 s/it → 58.7 ms/it`.
func headline(v verify.Result) string {
	word := string(v.Verdict)
	if v.Verdict == verify.Invalid || v.Pairs == 0 || !v.Ratio.Finite() || v.Ratio <= 0 {
		if why := caveat(v); why != "" {
			return word + ": " + strings.TrimSuffix(why, ".") + "."
		}
		return word + "."
	}
	text := word + ": " + speed(v)
	if before, after, ok := fromTo(v); ok {
		text += ": " + before + " → " + after
	}
	return text
}

// speed is by how much the variants differ, and how sure that is. Faster and slower are factors, sameness is a bound.
func speed(v verify.Result) string {
	ratio, low, high := float64(v.Ratio), float64(v.Interval.Lo), float64(v.Interval.Hi)
	if v.Verdict == verify.TheSame {
		return "within ±" + human.Percent(v.Plan.Threshold) + inInterval(v, changeInterval(v.Interval))
	}
	if v.Verdict != verify.Slower {
		ratio, low, high = 1/ratio, 1/high, 1/low
	}
	text := human.Times(ratio)
	if v.Verdict == verify.Inconclusive {
		text += " as fast"
	}
	if !v.Interval.Lo.Finite() || !v.Interval.Hi.Finite() || v.Interval.Lo <= 0 || math.IsInf(low, 0) {
		return text
	}
	return text + inInterval(v, human.Range(low, high))
}

func inInterval(v verify.Result, text string) string {
	if text == "" {
		return ""
	}
	return " (" + human.Percent(v.Interval.Confidence) + " interval " + text + ")"
}

// fromTo are the medians of the runs: times, or speeds where the time of a sample is compared. Their ratio need not be
// that of the pairs: both runs of a pair had the same conditions.
func fromTo(v verify.Result) (before, after string, ok bool) {
	was, now := v.Sides[verify.Before], v.Sides[verify.After]
	if v.Plan.Measure == verify.PerSample && was.Speed.Finite() && now.Speed.Finite() {
		return human.Value(float64(was.Speed), "samples/s"), human.Value(float64(now.Speed), "samples/s"), true
	}
	if !was.Median.Finite() || !now.Median.Finite() || was.Median <= 0 {
		return "", "", false
	}
	return human.Seconds(float64(was.Median)) + "/it", human.Seconds(float64(now.Median)) + "/it", true
}

// evidence is what the result rests on: `6 interleaved pairs, p = 0.031. Loss unchanged.`
func evidence(v verify.Result) []string {
	if v.Pairs == 0 {
		return nil
	}
	text := human.Plural(v.Pairs, "interleaved pair") + ", p " + pValue(v.P) + "."
	if v.Guard.State == verify.Passed {
		text += " " + lossHolds(v)
	}
	return []string{text}
}

func lossHolds(v verify.Result) string {
	if v.Guard.Numerics == verify.Changed || v.Plan.Measure == verify.PerSample {
		return "Loss within the " + human.Percent(v.Guard.Margin) + " margin."
	}
	return "Loss unchanged."
}

// caveats are what stands against the result, each a line.
func caveats(v verify.Result) []string {
	var lines []string
	why := caveat(v)
	if why != "" && headline(v) != string(v.Verdict)+": "+strings.TrimSuffix(why, ".")+"." {
		lines = append(lines, asSentence(why))
	}
	g := v.Guard
	if v.Pairs == 0 || g.Reason == "" || strings.Contains(why, g.Reason) {
		return lines
	}
	switch g.State {
	case verify.NotChecked:
		lines = append(lines, "Loss not checked: "+g.Reason+".")
	case verify.NotShown:
		lines = append(lines, "Loss not proven: "+g.Reason+".")
	case verify.Failed:
		lines = append(lines, "Loss changed: "+g.Reason+".")
	}
	return lines
}

// caveat is why a verdict is not a clear one; results without figures have nothing else to say.
func caveat(v verify.Result) string {
	if v.Caveat == "" && (v.Verdict == verify.Invalid || v.Verdict == verify.Inconclusive) {
		return v.Reason
	}
	return v.Caveat
}

// variantNames are the two sides in a title. Where both are one folder, what differs in command and environment names
// them.
func variantNames(p verify.Plan) string {
	before, after := p.Before.Name, p.After.Name
	if before == after {
		before, after = "baseline", "itself"
		if more := slices.Concat(added(p.Before.Env, p.After.Env), added(p.Before.Command, p.After.Command)); len(more) > 0 {
			after = human.Clip(strings.Join(more, " "), 60)
		} else if less := slices.Concat(added(p.After.Env, p.Before.Env), added(p.After.Command,
			p.Before.Command)); len(less) > 0 {
			before, after = human.Clip(strings.Join(less, " "), 60), "without"
		}
	}
	return before + " vs " + after
}

// added are the words of one list that the other lacks. An option stays with its value: --lr 0.02.
func added(without, with []string) []string {
	var list []string
	for i, word := range with {
		if slices.Contains(without, word) {
			continue
		}
		if i > 0 && strings.HasPrefix(with[i-1], "-") && slices.Contains(without, with[i-1]) {
			list = append(list, with[i-1])
		}
		list = append(list, word)
	}
	return list
}

// asSentence begins large and ends with a full stop.
func asSentence(text string) string {
	if text == "" {
		return ""
	}
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + strings.TrimSuffix(text[size:], ".") + "."
}
