package files

import "golang.org/x/sys/windows"

// Space is what this user may still write, and what the file system holds in all.
func Space(dir string) (free, total uint64, err error) {
	path, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, 0, err
	}
	err = windows.GetDiskFreeSpaceEx(path, &free, &total, nil)
	return free, total, err
}
