package cli

import (
	"context"
	"errors"
	"fmt"
)

// Exit codes, the same for every command.
const (
	exitDone      = 0   // nothing to complain about
	exitFound     = 1   // findings, a regression, a failed gate
	exitUsage     = 2   // wrong use, or input that cannot be read
	exitUndecided = 3   // inconclusive is not a pass
	exitMissing   = 4   // Python, torch, a GPU … is not here
	exitStopped   = 130 // by Ctrl-C, as a shell reports it
)

// exitError is an error that chooses its own exit code.
type exitError struct {
	code int
	err  error
}

func (e exitError) Error() string { return e.err.Error() }
func (e exitError) Unwrap() error { return e.err }

// usage is wrong use: the message says what is wrong and what to type instead.
func usage(format string, args ...any) error {
	return exitError{exitUsage, fmt.Errorf(format, args...)}
}

func exitCode(err error) int {
	var e exitError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &e):
		return e.code
	case errors.Is(err, context.Canceled):
		return exitStopped
	default:
		return exitUsage
	}
}
