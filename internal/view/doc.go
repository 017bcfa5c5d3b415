// Package view turns the values that a command computed into a Report.
//
//	of_*.go       one file for each command's values: OfTrace, OfRun, OfVerify, …
//	compare_*.go  two Runs, two Traces or two series side by side
//	run_view.go   what the other files need to know of a Run
//	list_runs.go  all Runs of a folder
//
// It computes nothing that another program would want: figures come from the packages below, words and order
// from here, and the looks from package report.
package view
