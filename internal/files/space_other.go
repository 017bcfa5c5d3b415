//go:build unix && !linux && !darwin && !freebsd && !dragonfly

package files

import "errors"

// Space is not known here.
func Space(string) (free, total uint64, err error) { return 0, 0, errors.ErrUnsupported }
