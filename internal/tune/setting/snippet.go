package setting

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"saturate/internal/human"
)

// Snippet is what to write to have the same without saturate: lines for a shell that stand before
// the program's own, lines for the program that stand behind its imports, and in comments what can only be done where
// the program makes its model, optimizer and loaders.
func Snippet(chosen []Choice, env []string) string {
	var b strings.Builder
	if variables := Environment(chosen, env); len(variables) > 0 {
		b.WriteString("# in the shell, before the program starts\n")
		for _, v := range variables {
			name, value, _ := strings.Cut(v, "=")
			fmt.Fprintf(&b, "export %s=%s\n", name, human.Shell(value))
		}
	}
	for _, c := range chosen {
		if start := c.way().Start; start != "" {
			fmt.Fprintf(&b, "# %s: start the program with %s\n", c.Name, start)
		}
	}
	libraries := []string{}
	var lines, byHand []string
	for _, c := range chosen {
		if hand := c.way().Hand; hand != "" {
			byHand = append(byHand, fmt.Sprintf("# %s: %s\n", c.Name, hand))
		}
		code := c.code()
		if code == "" {
			continue
		}
		if c.Library != "" && !slices.Contains(libraries, c.Library) {
			libraries = append(libraries, c.Library)
		}
		lines = append(lines, fmt.Sprintf("%s  # %s", code, c.Name))
	}
	if len(lines) > 0 {
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString("# in the program, after its imports\n")
		for _, library := range libraries {
			fmt.Fprintf(&b, "import %s\n", library)
		}
		for _, line := range lines {
			b.WriteString(line + "\n")
		}
	}
	if len(byHand) > 0 {
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString("# in the program, where it makes them\n" + strings.Join(byHand, ""))
	}
	if b.Len() == 0 {
		return "# nothing to set\n"
	}
	return b.String()
}

// code is the Python that applies a choice behind the imports, "" when there is none.
func (c Choice) code() string {
	var statements []string
	for _, k := range c.way().Knobs {
		if k.Set != "" {
			statements = append(statements, statement(k))
		}
	}
	return strings.Join(statements, "; ")
}

func statement(k Knob) string {
	if function, ok := strings.CutSuffix(k.Set, "()"); ok {
		return function + "(" + literal(k.argument()) + ")"
	}
	if option, ok := strings.CutPrefix(k.Set, "jax.config."); ok {
		return "jax.config.update(" + literal(option) + ", " + literal(k.argument()) + ")"
	}
	return k.Set + " = " + literal(k.argument())
}

// argument is what is passed, which may read back in another form.
func (k Knob) argument() any {
	if k.Pass != nil {
		return k.Pass
	}
	return k.Value
}

// literal writes a value as Python does.
func literal(value any) string {
	switch v := value.(type) {
	case bool:
		if v {
			return "True"
		}
		return "False"
	case string:
		return strconv.Quote(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case nil:
		return "None"
	}
	return fmt.Sprint(value)
}
