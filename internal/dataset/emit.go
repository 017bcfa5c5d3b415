package dataset

import _ "embed"

// PythonModule is a module with a torch Dataset that reads every format.
//
//go:embed python/saturate_mel.py
var PythonModule string
