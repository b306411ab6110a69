package memlimit

import (
	"math"
	"os"
	"path"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// reserved is how much address space the runtime of Go takes and does not use, in bytes.
const reserved = 1 << 30

func find() []bound {
	var all []bound
	var machine unix.Sysinfo_t
	if unix.Sysinfo(&machine) == nil {
		all = append(all, bound{int64(uint64(machine.Totalram) * uint64(machine.Unit)), statusReader("RssAnon:")})
	}
	var data, space unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_DATA, &data) == nil && data.Cur < math.MaxInt64 {
		all = append(all, bound{int64(data.Cur), statusReader("VmData:")})
	}
	if unix.Getrlimit(unix.RLIMIT_AS, &space) == nil && space.Cur < math.MaxInt64 {
		taken := statusReader("VmSize:")
		all = append(all, bound{int64(space.Cur) - reserved, func() int64 { return taken() - reserved }})
	}
	groups, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return all
	}
	if limit := groupLimit("/sys/fs/cgroup", string(groups)); limit < math.MaxInt64 {
		all = append(all, bound{limit, statusReader("RssAnon:")})
	}
	return all
}

// groupLimit returns the least limit of the groups that /proc/self/cgroup names, and of those
// above them, in either version of cgroups: inside a container a group may be seen as the top.
func groupLimit(mounted, groups string) int64 {
	least := int64(math.MaxInt64)
	for line := range strings.Lines(groups) {
		number, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		controllers, group, _ := strings.Cut(rest, ":")
		top, file := mounted, "memory.max"
		switch {
		case controllers == "memory":
			top, file = path.Join(mounted, "memory"), "memory.limit_in_bytes"
		case number != "0":
			continue
		}
		for at := path.Join("/", group); ; at = path.Dir(at) {
			if data, err := os.ReadFile(path.Join(top, at, file)); err == nil {
				if n, err := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64); err == nil && n > 0 {
					least = min(least, n)
				}
			}
			if at == "/" {
				break
			}
		}
	}
	return least
}

// statusReader returns a function that reads a line of /proc/self/status, in bytes; 0 if it cannot be read.
func statusReader(line string) func() int64 {
	return func() int64 {
		data, err := os.ReadFile("/proc/self/status")
		if err != nil {
			return 0
		}
		_, rest, _ := strings.Cut(string(data), "\n"+line)
		number, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
		kilobytes, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return 0
		}
		return kilobytes << 10
	}
}
