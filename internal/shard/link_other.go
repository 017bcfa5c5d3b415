//go:build !linux

package shard

import "os"

// linkNew gives a file a further name unless something has it.
func linkNew(file, final string) error { return os.Link(file, final) }
