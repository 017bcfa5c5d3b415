package human

import "fmt"

// bySignal is what ended a program whose exit code, as a shell tells it, is 128 and the signal's number.
var bySignal = map[int]string{
	130: "interrupted",
	132: "an instruction that this processor does not have",
	134: "it aborted itself",
	135: "a bus error; a full /dev/shm does that",
	137: "killed; the system does that when memory runs out",
	139: "a segmentation fault",
	143: "asked to end",
}

// Exit is a program's exit code, and what it means where a signal ended it.
func Exit(code int) string {
	if why := bySignal[code]; why != "" {
		return fmt.Sprintf("exit code %d (%s)", code, why)
	}
	return fmt.Sprintf("exit code %d", code)
}
