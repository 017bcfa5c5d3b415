package setting

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A condition is three words and may go on: "torch >= 2.9", "cpu_flags has amx_bf16", "gfx in gfx90a gfx942",
// "NVIDIA_TF32_OVERRIDE != 0"; or two: "gpu_cores known". Numbers and versions are compared part by part, so that 10.0
// is above 9.0. What is not known holds for != alone.

// unmet is why a condition does not hold, or "" when it does.
func unmet(condition string, facts map[string]any) string {
	words := strings.Fields(condition)
	if len(words) == 2 && words[1] == "known" {
		if value := fact(facts, words[0]); value == nil || value == "" {
			return label(words[0]) + " is unknown"
		}
		return ""
	}
	if len(words) < 3 {
		return fmt.Sprintf("invalid condition %q", condition)
	}
	name, operator, wanted := words[0], words[1], words[2:]
	value := fact(facts, name)
	here := text(value)
	var holds bool
	switch operator {
	case ">=":
		holds = here != "" && compare(here, wanted[0]) >= 0
	case "<":
		holds = here != "" && compare(here, wanted[0]) < 0
	case "=":
		holds = here == wanted[0]
	case "!=":
		holds = here != wanted[0]
	case "in":
		holds = slices.Contains(wanted, here)
	case "has":
		holds = has(value, wanted[0])
	default:
		return fmt.Sprintf("invalid condition %q", condition)
	}
	switch {
	case holds:
		return ""
	case operator == "has":
		return fmt.Sprintf("needs %s %s, which is missing", label(name), wanted[0])
	case operator == "!=":
		return fmt.Sprintf("%s is %s", label(name), here)
	case here == "":
		return fmt.Sprintf("needs %s, which is unknown", plain(name, operator, wanted))
	}
	return fmt.Sprintf("needs %s; here it is %s", plain(name, operator, wanted), here)
}

// plain is a condition as a sentence has it.
func plain(name, operator string, wanted []string) string {
	switch operator {
	case "in":
		return label(name) + " " + strings.Join(wanted, " or ")
	case "=":
		return label(name) + " " + wanted[0]
	}
	return label(name) + " " + operator + " " + wanted[0]
}

// label is a fact's name in plain words.
func label(name string) string {
	if strings.ToUpper(name) == name {
		return name // a variable
	}
	return strings.NewReplacer("_mib", " (MiB)", "_", " ").Replace(name)
}

// text is a fact as conditions compare it.
func text(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case bool:
		return strconv.FormatBool(v)
	}
	return ""
}

// has looks for an element of a list or a key of a map.
func has(value any, element string) bool {
	switch v := value.(type) {
	case []any:
		return slices.Contains(v, any(element))
	case map[string]any:
		_, ok := v[element]
		return ok
	}
	return false
}

// compare orders dotted numbers; what follows the digits of a part, as in 2.9.0a0, does not count.
func compare(a, b string) int {
	left, right := strings.Split(a, "."), strings.Split(b, ".")
	for i := range max(len(left), len(right)) {
		if d := part(left, i) - part(right, i); d != 0 {
			return d
		}
	}
	return 0
}

func part(parts []string, i int) int {
	if i >= len(parts) {
		return 0
	}
	n := 0
	for _, r := range parts[i] {
		if r < '0' || r > '9' || n > 1<<40 {
			break
		}
		n = n*10 + int(r-'0')
	}
	return n
}
