package human

import "fmt"

// bySignal is what ended a program whose exit code, as a shell tells it, is 128 and the signal's number.
var bySignal = map[int]string{
	130: "interrupted",
	132: "illegal instruction: not supported by this CPU",
	134: "aborted",
	135: "bus error; /dev/shm may be full",
	137: "killed; memory may have run out",
	139: "segmentation fault",
	143: "terminated",
}

// Exit is a program's exit code, and what it means where a signal ended it.
func Exit(code int) string {
	if why := bySignal[code]; why != "" {
		return fmt.Sprintf("exit code %d (%s)", code, why)
	}
	return fmt.Sprintf("exit code %d", code)
}
