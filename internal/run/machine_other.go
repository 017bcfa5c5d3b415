//go:build !linux && !darwin && !windows

package run

import (
	"fmt"
	"runtime"
)

func describeMachine(*Machine) error {
	return fmt.Errorf("processor and memory are unknown: there is no way to ask on %s", runtime.GOOS)
}
