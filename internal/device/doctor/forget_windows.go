package doctor

import "os"

// forget leaves the name: an open file cannot be removed here.
func forget(*os.File) {}
