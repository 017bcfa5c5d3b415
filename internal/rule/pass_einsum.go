package rule

import (
	"strings"

	"saturate/internal/pysrc"
)

// einsumOf reads torch.einsum("bhid,bhjd->bhij", q, k), or that of einops with its equation last and spaced names: the
// axes of each input and of the output, each a letter, and the operands. Nothing where the equation is not a literal.
func einsumOf(c *pysrc.Call) (inputs []string, output string, operands []pysrc.Expr) {
	if len(c.Args) < 2 {
		return nil, "", nil
	}
	operands = c.Args[1:]
	text, ok := pysrc.StringValue(c.Args[0])
	if !ok {
		if text, ok = pysrc.StringValue(c.Args[len(c.Args)-1]); !ok {
			return nil, "", nil
		}
		operands = c.Args[:len(c.Args)-1]
	}
	if len(operands) == 1 { // in a list
		operands = elementsOf(operands[0])
	}
	left, right, ok := strings.Cut(text, "->")
	if !ok {
		return nil, "", nil
	}
	letters := map[string]rune{}
	axes := func(term string) string {
		term = strings.ReplaceAll(strings.TrimSpace(term), "...", "…") // one more axis that all have
		if !strings.Contains(term, " ") {
			return term
		}
		var b strings.Builder
		for _, name := range strings.Fields(term) {
			if len(name) == 1 {
				b.WriteString(name)
				continue
			}
			if letters[name] == 0 {
				letters[name] = rune('\u0100' + len(letters)) // no equation has it
			}
			b.WriteRune(letters[name])
		}
		return b.String()
	}
	for _, term := range strings.Split(left, ",") {
		inputs = append(inputs, axes(term))
	}
	return inputs, axes(right), operands
}

// multipliesTransposed reports q @ k.T: one axis of both is summed over, and the output ends with the axes of the first
// alone and those of the second alone: one each, or two where the positions are rows and columns of an image.
func multipliesTransposed(a, b, output string) bool {
	out := []rune(output)
	if len(out) < 3 || len([]rune(b)) < 3 || len([]rune(summed(a, b, output))) != 1 {
		return false
	}
	i := len(out)
	for i > 0 && strings.ContainsRune(a, out[i-1]) && strings.ContainsRune(b, out[i-1]) { // heads, behind the keys
		i--
	}
	last := i
	for i > 0 && only(b, a, out[i-1]) {
		i--
	}
	keys := last - i
	for i > 0 && only(a, b, out[i-1]) {
		i--
	}
	return keys > 0 && last-i == 2*keys
}

// sumsOverKeys reports weights @ values: it sums over the last axes of the weights, and keeps one that only the values
// have.
func sumsOverKeys(weights, values, output string) bool {
	over := summed(weights, values, output)
	shared := func(axis rune) bool { return strings.ContainsRune(values, axis) && strings.ContainsRune(output, axis) }
	return over != "" && strings.HasSuffix(strings.TrimRightFunc(weights, shared), over) && strings.ContainsFunc(values, func(axis rune) bool {
		return only(values, weights, axis) && strings.ContainsRune(output, axis)
	})
}

// summed are the axes of both inputs that the output does not have.
func summed(a, b, output string) string {
	return strings.Map(func(axis rune) rune {
		if strings.ContainsRune(b, axis) && !strings.ContainsRune(output, axis) {
			return axis
		}
		return -1
	}, a)
}

func only(a, b string, axis rune) bool {
	return strings.ContainsRune(a, axis) && !strings.ContainsRune(b, axis)
}
