package cli

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// descendsFromAgentOf reports whether this process descends from the agent's program:
// the one that started the server and speaks to it through a pipe. It is not proof,
// because a process can detach itself from its parents.
func descendsFromAgentOf(server int) bool {
	in, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/0", server))
	if err != nil || !strings.HasPrefix(in, "pipe:") && !strings.HasPrefix(in, "socket:") {
		return false // served over HTTP, or gone
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
