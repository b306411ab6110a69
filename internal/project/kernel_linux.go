package project

import "syscall"

// kernelFS are the types of file systems in which the kernel shows itself: what is read there
// is made at that moment, may have no end, and is of no project.
var kernelFS = map[int64]bool{
	0x9fa0: true, 0x62656572: true, // proc, sysfs
	0x27e0eb: true, 0x63677270: true, // control groups
	0x64626720: true, 0x74726163: true, 0x73636673: true, // debugging, tracing, security
	0x1cd1: true, 0xcafe4a11: true, 0x6165676c: true, // terminals, BPF, records of crashes
}

// ofKernel reports whether a folder is in such a file system.
func ofKernel(dir string) bool {
	var fs syscall.Statfs_t
	return syscall.Statfs(dir, &fs) == nil && kernelFS[int64(fs.Type)]
}
