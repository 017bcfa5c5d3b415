package tts

import (
	"context"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"saturate/internal/files"
)

// TestDiskFails: a disk that fills up or fails at any step stops the run with that reason; the next run makes what is
// missing.
func TestDiskFails(t *testing.T) {
	for _, why := range []error{syscall.ENOSPC, syscall.EIO} {
		for _, at := range []string{"create", "write", "rename"} {
			dir := t.TempDir()
			engine, opt := formantEngine{}, options(dir)
			opt.Voices = []string{"m1"}
			var n atomic.Int64
			files.Fault = func(op, name string) error {
				if op == at && strings.HasSuffix(name, ".wav") && n.Add(1) > 2 {
					return why
				}
				return nil
			}
			_, err := Run(context.Background(), engine, numbered(6), opt)
			files.Fault = nil
			if err == nil || !strings.Contains(err.Error(), why.Error()) {
				t.Errorf("%s at %s: error %v", why, at, err)
			}
			if left, _ := filepath.Glob(filepath.Join(dir, stateFolder, "tmp", "*")); len(left) > 0 {
				t.Errorf("%s at %s: left lying: %v", why, at, left)
			}
			result, err := Run(context.Background(), engine, numbered(6), opt)
			if err != nil || result.Made+result.Reused != 6 {
				t.Errorf("%s at %s: then %+v, %v", why, at, result, err)
			}
		}
	}
}
