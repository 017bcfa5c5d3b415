//go:build !linux && !darwin && !windows

package run

import (
	"fmt"
	"runtime"
)

func describeMachine(*Machine) error {
	return fmt.Errorf("CPU and memory unknown: unsupported on %s", runtime.GOOS)
}
