//go:build amd64 && !noasm

package mp3

func setVector(on bool) { vector = on }
