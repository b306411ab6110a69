package cli

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// kin reports whether this process descends from the one that started the server
// and speaks to it through a pipe: the agent's program. It is no proof: who
// detaches himself from his parents is nobody's kin.
func kin(server int) bool {
	in, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/0", server))
	if err != nil || !strings.HasPrefix(in, "pipe:") && !strings.HasPrefix(in, "socket:") {
		return false // nobody's child: served over HTTP, or gone
	}
	agent := parent(server)
	for p := os.Getpid(); p > 1; p = parent(p) {
		if p == agent {
			return true
		}
	}
	return false
}

// parent returns the id of a process's parent, 0 if it is not known.
func parent(process int) int {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", process))
	if err != nil {
		return 0
	}
	// The second field is a name in brackets, which may hold anything.
	fields := strings.Fields(string(data[strings.LastIndexByte(string(data), ')')+1:]))
	if len(fields) < 2 {
		return 0
	}
	id, _ := strconv.Atoi(fields[1]) // the kernel writes numbers
	return id
}
