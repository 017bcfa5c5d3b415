package doctor

import (
	"os"
	"testing"

	"saturate/internal/device"
)

func TestMain(m *testing.M) {
	device.ChildMain()
	os.Exit(m.Run())
}
