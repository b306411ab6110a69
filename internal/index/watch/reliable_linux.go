package watch

import (
	"fmt"
	"syscall"
)

// remote are the file systems, by their numbers in statfs(2), on which another
// machine or process can change files without this kernel's knowledge.
var remote = map[uint32]string{
	0x6969:     "NFS",
	0x517B:     "SMB",
	0xFE534D42: "SMB2",
	0xFF534D42: "CIFS",
	0x65735546: "FUSE",
	0x01021997: "9P",
	0x5346414F: "AFS",
	0x00C36400: "Ceph",
	0x786F4256: "VirtualBox",
}

// reliable returns an error where a Drain could miss changes.
func reliable(dir string) error {
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err != nil {
		return fmt.Errorf("watch: open: %w", err)
	}
	if name := remote[uint32(st.Type)]; name != "" {
		return fmt.Errorf("%w: the folder is on %s", ErrUnavailable, name)
	}
	return nil
}
