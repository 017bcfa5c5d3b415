package device

import (
	"os"
	"testing"
)

// The test program answers for the driver library like the real one, so that the children are tested too.
func TestMain(m *testing.M) {
	ChildMain()
	os.Exit(m.Run())
}
