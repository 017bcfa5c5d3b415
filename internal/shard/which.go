package shard

import (
	"fmt"
	"strconv"
	"strings"
)

// Which are the shards of one of several workers: every Of-th, from the Worker-th on.
type Which struct {
	Worker, Of int
	From       string // what said so
}

// Mine lists them.
func (w Which) Mine(shards int) (list []int) {
	for i := w.Worker; i < shards; i += w.Of {
		list = append(list, i)
	}
	return list
}

// Choose reads i/N. Where the flag is empty, or leaves i out as in /N, what an engine has set says the rest: an array
// of SLURM, an indexed Job of Kubernetes, or RANK and WORLD_SIZE. Without any of them all shards are this process's.
func Choose(flag string, env func(string) string) (Which, error) {
	left, right, cut := strings.Cut(flag, "/")
	switch {
	case flag == "":
		return fromEngine("", env)
	case !cut || right == "":
		return Which{}, fmt.Errorf("--shard must be i/N, such as 0/4, not %q", flag)
	case left == "":
		return fromEngine(right, env)
	}
	return which(left, right, "--shard")
}

func fromEngine(of string, env func(string) string) (Which, error) {
	for _, e := range []struct{ index, first, step, count string }{
		{"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_STEP", "SLURM_ARRAY_TASK_COUNT"},
		{"JOB_COMPLETION_INDEX", "", "", ""},
		{"RANK", "", "", "WORLD_SIZE"},
	} {
		index := env(e.index)
		if index == "" {
			continue
		}
		if of != "" { // the number is of all workers, whichever of them this job has
			return which(index, of, e.index)
		}
		if e.count == "" || env(e.count) == "" {
			return Which{}, fmt.Errorf("%s says which worker this is but not of how many; add --shard /N", e.index)
		}
		if first, err := strconv.Atoi(env(e.first)); err == nil && e.first != "" {
			i, err := strconv.Atoi(index)
			if err != nil {
				return Which{}, fmt.Errorf("%s is not a number: %q", e.index, index)
			}
			step := 1
			if n, err := strconv.Atoi(env(e.step)); err == nil && n > 0 {
				step = n
			}
			index = strconv.Itoa((i - first) / step)
		}
		return which(index, env(e.count), e.index)
	}
	if of != "" {
		return Which{}, fmt.Errorf("--shard /%s needs SLURM_ARRAY_TASK_ID, "+
			"JOB_COMPLETION_INDEX or RANK; give both numbers: --shard 0/%s", of, of)
	}
	return Which{0, 1, "one worker"}, nil
}

func which(index, of, from string) (Which, error) {
	i, err := strconv.Atoi(index)
	n, err2 := strconv.Atoi(of)
	if err != nil || err2 != nil || n < 1 || i < 0 || i >= n {
		return Which{}, fmt.Errorf("%s: worker %s of %s is not possible; workers are 0 to N-1", from, index, of)
	}
	return Which{i, n, from}, nil
}
