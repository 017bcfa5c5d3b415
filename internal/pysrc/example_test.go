package pysrc_test

import (
	"fmt"

	"saturate/internal/pysrc"
)

func Example() {
	f := pysrc.Parse("train.py", []byte(`
from torch.utils.data import DataLoader
loader = DataLoader(dataset, batch_size=8, num_workers=0)
`))
	pysrc.Inspect(f.Module, func(n pysrc.Node) bool {
		call, ok := n.(*pysrc.Call)
		if !ok || pysrc.DottedName(call.Func) != "DataLoader" {
			return true
		}
		workers := call.Keyword("num_workers")
		n0, _ := pysrc.IntValue(workers.Value)
		fmt.Println(f.Position(workers.Start), f.Text(workers), n0)
		return true
	})
	// Output: 3:44 num_workers=0 0
}
