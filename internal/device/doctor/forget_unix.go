//go:build unix

package doctor

import "os"

// forget removes the file's name while it is open.
func forget(file *os.File) { _ = os.Remove(file.Name()) }
