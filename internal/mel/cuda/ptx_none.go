//go:build nocuda

package melcuda

// logmelPTX is left out with the driver that would compile it.
var logmelPTX []byte
