package audio

// Telephone samples (ITU-T G.711), as floats: one table a law.
var aLaw, muLaw [256]float32

func init() {
	for i := range 256 {
		aLaw[i] = float32(expandALaw(uint8(i))) / 32768
		muLaw[i] = float32(expandMuLaw(uint8(i))) / 32768
	}
}

func expandALaw(v uint8) int {
	v ^= 0x55
	segment, magnitude := int(v>>4&7), int(v&0xF)<<4+8
	if segment > 0 {
		magnitude = (magnitude + 0x100) << (segment - 1)
	}
	if v&0x80 == 0 {
		return -magnitude
	}
	return magnitude
}

func expandMuLaw(v uint8) int {
	v = ^v
	magnitude := (int(v&0xF)<<3+0x84)<<(v>>4&7) - 0x84
	if v&0x80 != 0 {
		return -magnitude
	}
	return magnitude
}
