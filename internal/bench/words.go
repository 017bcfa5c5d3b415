package bench

import "strings"

// inBrackets adds names behind a sentence: " (heat, power brake)".
func inBrackets(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return " (" + strings.Join(names, ", ") + ")"
}
