package files

// Fault, where a test sets it, is asked before each step of a reader or a writer, and its error is what the disk would
// have said: op is create, write, sync, rename or read.
var Fault func(op, name string) error

func fault(op, name string) error {
	if Fault == nil {
		return nil
	}
	return Fault(op, name)
}
