//go:build !amd64 || noasm

package audio

func kernels() []kernel { return []kernel{plain} }
