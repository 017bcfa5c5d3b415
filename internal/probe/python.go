package probe

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
)

var interpreter = regexp.MustCompile(`^(python|pypy)[0-9.]*(\.exe)?$`)

// refused says so when the command tells Python to ignore what the probe comes in by.
func refused(command []string) error {
	for i, word := range command {
		if !interpreter.MatchString(filepath.Base(word)) {
			continue
		}
		for _, option := range command[i+1:] {
			if !strings.HasPrefix(option, "-") || option == "-" || strings.HasPrefix(option, "--") {
				break
			}
			for _, letter := range option[1:] {
				switch letter {
				case 'I', 'E', 'S':
					return fmt.Errorf("`%s -%c` makes Python ignore PYTHONPATH or sitecustomize, by which the program is watched: leave -%c away, or set what it was for in the program's environment",
						filepath.Base(word), letter, letter)
				}
				if strings.ContainsRune("cmWX", letter) {
					break // what follows is its value
				}
			}
			if option == "-m" || option == "-c" {
				break
			}
		}
	}
	return nil
}

// unseen explains why nothing was heard of any Python.
func unseen(command []string) string {
	return fmt.Sprintf("no Python process was seen: `%s` starts none, clears its environment (sudo, env -i, a container), or starts Python with -I, -E or -S; "+
		"run the Python command itself", filepath.Base(command[0]))
}
