package tts

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"
)

//go:embed py/precompute_tts.py
var script string

var pythonName = regexp.MustCompile(`^[A-Za-z_][\w.]*:[A-Za-z_]\w*$`)

// PythonScript is a program, standard library only, that does the same with a function of the user's.
func PythonScript(function, version string) (string, error) {
	if !pythonName.MatchString(function) {
		return "", fmt.Errorf("--function cannot be %q: use module:function, such as my_tts:speak", function)
	}
	if version == "" || strings.ContainsAny(version, "\"\\\n\x00") {
		return "", fmt.Errorf("--function-version %q is not valid in a Python string", version)
	}
	return strings.NewReplacer(
		`FUNCTION = "module:function"`, fmt.Sprintf("FUNCTION = %q", function),
		`VERSION = "1"`, fmt.Sprintf("VERSION = %q", version),
	).Replace(script), nil
}
