// Package analyze answers questions about a trace: why the GPU was idle, and what would help.
//
// How an analysis runs:
//
//  1. [Everything] takes the ranks of one job. For each it makes a view: the trace, the
//     window asked for, what its names mean (meaning.go), and its steps (steps.go).
//  2. Each question is one file and one function of a view. What a GPU did becomes sets of
//     intervals (spans.go, busy.go); what it did not do becomes gaps (idle.go), and each
//     gap is cut into pieces by what the host was doing at the time (host.go, cause.go).
//  3. The gaps' causes and the busy times add up to the steps (breakdown.go) and to the
//     first sentence (verdict.go).
//  4. Rules look at all of that and say what each fault costs (findings.go, rules_*.go).
//  5. [Compare] puts two analyses side by side (compare.go).
//
// Nothing here prints or draws. All times are integer nanoseconds, as the trace counts them.
// Every question costs one pass over the events it needs; names are numbers until the end.
package analyze
