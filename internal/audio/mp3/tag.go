package mp3

import "encoding/binary"

// Tag is what the encoder left in the first frame, which then holds no sound.
type Tag struct {
	Frames  int64 // of sound; 0 when not said
	Delay   int64 // samples the encoder put before the sound; -1 when not said
	Padding int64 // and behind it
}

// DecoderDelay is what every decoder adds before the first sample of the encoder.
const DecoderDelay = 528 + 1

// ReadTag looks for the Xing, Info or VBRI tag in the first frame.
func ReadTag(frame []byte, h Header) (Tag, bool) {
	tag := Tag{Delay: -1}
	if at := headerBytes + 32; len(frame) >= at+18 && string(frame[at:at+4]) == "VBRI" {
		tag.Frames = int64(binary.BigEndian.Uint32(frame[at+14:]))
		return tag, true
	}
	at := headerBytes + h.sideBytes()
	if len(frame) < at+8 || string(frame[at:at+4]) != "Xing" && string(frame[at:at+4]) != "Info" {
		return tag, false
	}
	flags := binary.BigEndian.Uint32(frame[at+4:])
	at += 8
	for bit, size := range [4]int{4, 4, 100, 4} { // frames, bytes, table of contents, quality
		if flags>>bit&1 == 0 {
			continue
		}
		if bit == 0 && len(frame) >= at+4 {
			tag.Frames = int64(binary.BigEndian.Uint32(frame[at:]))
		}
		at += size
	}
	if len(frame) >= at+24 {
		switch string(frame[at : at+4]) {
		case "LAME", "Lavf", "Lavc":
			tag.Delay = int64(frame[at+21])<<4 | int64(frame[at+22])>>4
			tag.Padding = int64(frame[at+22]&15)<<8 | int64(frame[at+23])
		}
	}
	return tag, true
}
