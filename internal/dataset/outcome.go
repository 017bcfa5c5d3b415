package dataset

// state is how far an item is.
type state uint8

const (
	todo state = iota
	done
	quarantined
)

// outcome is what became of an item.
type outcome struct {
	state    state
	channels uint16
	rate     int32   // of the file
	odd      int32   // samples that were no numbers
	crc      uint32  // CRC-32C of the file's bytes
	samples  int64   // at the wanted rate, before cutting
	seconds  float64 // how long it plays
	sha      *[32]byte
	reason   string // why it is quarantined
}
