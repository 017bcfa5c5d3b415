// Package optimize is the protocol: from a slow training program to a patch whose gain is proven.
//
//	scan ─> findings ─┐  of what the program runs                               reach.go
//	                  ├─> plan ─> Candidates, the most promising first          plan.go, share.go
//	baseline, profiled┘
//	best tree ─> copy, repair ─> candidate tree                                 tree.go, apply.go, once.go
//	(best, candidate) ─> verify ─> kept: the candidate is the best tree now     ladder.go, tidy.go
//	                             ─> dropped: slower, no difference, crashed, diverged, and why
//	(baseline, best) ─> verify with all pairs, on fresh blocks ─> Result        optimize.go
//	best tree against the user's ─> one patch                                   difference.go
//
// The user's folder is only read. Everything lies in a state folder: trees, each finished block of each
// measurement, decisions. The same call resumes where the last one ended.
package optimize
