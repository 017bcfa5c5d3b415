// Package parquet writes Parquet files whose largest column has its place before anything is known about
// the others: a page a row, uncompressed, one behind the other from the beginning of the file on, so that many
// workers can fill it at once. The other columns and the footer follow. It reads such footers back.
//
//	PAR1
//	pages of the matrix    Matrix.Page: a page's bytes before its values, of a known size
//	pages of the columns   Writer.Group, one for each row group
//	footer                 Writer.Finish
//	its length, PAR1
//
// [WriteTable] writes tables of small columns, compressed, to a stream.
//
// A matrix is list<list<float16>>, which Arrow and what is built on it read as it is.
// footer.go is page headers and footer, thrift.go their encoding.
package parquet
