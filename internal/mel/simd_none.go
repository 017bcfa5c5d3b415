//go:build (!amd64 && !arm64) || noasm

package mel

// simdSets is empty: there is assembly for amd64 and arm64 only, and none with the build tag noasm.
func simdSets() []simdSet { return nil }
