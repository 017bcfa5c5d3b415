//go:build !nocuda

package melcuda

import _ "embed"

// logmelPTX is what the driver compiles for its GPU.
//
//go:embed logmel.ptx
var logmelPTX []byte
