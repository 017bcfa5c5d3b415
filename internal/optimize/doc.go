// Package optimize is the protocol: from a slow training program to a patch whose gain is proven.
//
//	run, profiled ─> where a step's time goes, what each repair would bring     share.go, standing.go, forecast.go
//	scan of what the program runs ─> Candidates, most gain a minute first        reach.go, plan.go, choice.go, arguments.go
//	best tree ─> copy, repair ─> candidate tree                                  tree.go, apply.go, once.go, chain.go
//	(best, candidate) ─> verify ─> kept: the candidate is the best tree now      ladder.go, keep.go, tidy.go
//	                             ─> dropped: slower, no difference, crashed, diverged, and why
//	again, until nothing is worth trying ─> what is left                         loop.go, left.go, propose.go
//	(baseline, best) ─> verify with all pairs, on fresh blocks ─> Result         optimize.go
//	best tree against the user's ─> one patch; a larger batch apart from it      difference.go, grow.go
//
// The user's folder is only read. Everything lies in a state folder: trees, each finished block of each
// measurement, decisions. The same call resumes where the last one ended.
package optimize
