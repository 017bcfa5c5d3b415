// Command saturate finds why a GPU starves during training, fixes it, and proves the fix.
package main

import (
	"os"

	"saturate/internal/cli"
)

func main() {
	os.Exit(cli.Main(cli.System(), os.Args[1:]))
}
