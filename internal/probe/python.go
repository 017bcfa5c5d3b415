package probe

import (
	"fmt"
	"path/filepath"
	"regexp"
)

var interpreter = regexp.MustCompile(`^(python|pypy)[0-9.]*(\.exe)?$`)

// refused says so when the command tells Python to ignore what the probe comes in by.
func refused(command []string) error {
	for i, word := range command {
		if !interpreter.MatchString(filepath.Base(word)) {
			continue
		}
		if letter := isolating(command[i+1:]); letter != 0 {
			return fmt.Errorf("`%s -%c` makes Python ignore PYTHONPATH or sitecustomize, which saturate needs to watch the program: remove -%c, or set its effect in the program's environment",
				filepath.Base(word), letter, letter)
		}
	}
	return nil
}

// isolating finds the option of Python, among those before its script, that keeps the probe out; 0 when none does.
func isolating(args []string) rune {
	for i := 0; i < len(args); i++ {
		option := args[i]
		if len(option) < 2 || option[0] != '-' || option[1] == '-' {
			return 0 // the script
		}
		for at, letter := range option[1:] {
			switch letter {
			case 'I', 'E', 'S':
				return letter
			case 'c', 'm':
				return 0 // the program; what follows is its own
			case 'W', 'X':
				if at+2 == len(option) {
					i++ // its value is the next word
				}
			default:
				continue
			}
			break
		}
	}
	return 0
}

// unseen explains why nothing was heard of any Python.
func unseen(command []string) string {
	return fmt.Sprintf("no Python process was detected: `%s` starts none, clears its environment (sudo, env -i, a "+
		"container), or starts Python with -I, -E or -S; run the Python command itself", filepath.Base(command[0]))
}
