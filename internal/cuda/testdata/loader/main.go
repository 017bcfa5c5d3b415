// Command loader is the smallest program that uses package cuda: the test of static linking builds it.
package main

import (
	"fmt"
	"os"

	"saturate/internal/cuda"
)

func main() {
	if len(os.Args) > 1 {
		_, err := cuda.Open()
		fmt.Println(err)
	}
}
