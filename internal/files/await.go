package files

import "context"

// Await does what may wait for somebody else, such as reading a pipe that nobody writes to, and ends with the context
// even if the work does not end. The work is then left behind, for the process to end with it.
func Await[T any](ctx context.Context, work func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := work()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}
