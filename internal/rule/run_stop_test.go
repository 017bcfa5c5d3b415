package rule

import (
	"context"
	"errors"
	"testing"

	"saturate/internal/project"
)

// A file may take long, and who stops the scan does not wait for it.
func TestStopped(t *testing.T) {
	p, err := project.FromSources(context.Background(), map[string][]byte{"train.py": []byte("import torch\n")})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	release := make(chan struct{})
	defer close(release)
	_, err = Told(ctx, p, Selection{}, func(int, int) {
		stop()
		<-release
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}
