// Package hdf5 writes HDF5 files whose datasets are contiguous and have their places before
// anything is known about their contents, so that many workers can fill them at once, and again
// after an interruption; and it reads such files back.
//
// A file is laid out from front to back:
//
//	superblock      written last: until then nothing takes the file for an HDF5 file
//	datasets       Writer.Dataset, each at a page boundary, filled by Dataset.WriteAt
//	string columns  Writer.Strings: references, and the heap collections they point into
//	headers         Writer.Finish: one of each dataset, one of the root group
//
// Where a dataset lies follows from the calls before it alone: the same calls give the same file,
// byte for byte, no matter who wrote which part and when.
//
// The format is that of HDF5 1.10 and later: superblock version 3, object headers version 2, links
// and attributes inside the headers, global heaps for strings. Libraries open it for SWMR reading
// too, as there is nothing in it that a writer would have to keep up to date.
package hdf5
