package dataset

import "hash/crc32"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// crc32c goes on with a checksum. Files are read at memory's pace, and the usual instruction is slower than that.
func crc32c(crc uint32, data []byte) uint32 {
	if len(data) >= 2*len(folds{}) && canFold {
		crc, data = fold(crc, data)
	}
	return crc32.Update(crc, castagnoli, data)
}

// folds are the bytes of a stretch of data that has the same checksum as all that came before it.
type folds [256]byte
