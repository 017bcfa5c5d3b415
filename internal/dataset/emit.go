package dataset

import (
	"strings"

	"saturate/python"
)

// PythonModule is a module with a torch Dataset that reads every format: saturate_gpu.mel, to stand alone as
// saturate_mel.
var PythonModule = strings.ReplaceAll(python.Text("mel"), "saturate_gpu.mel", "saturate_mel")
