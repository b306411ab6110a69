package embedding

import (
	"fmt"
	"net"
	"net/url"
	"strings"

	"codeintel/internal/problem"
)

// The variables by which a user says which server may see text.
const (
	// trustVariable holds the URL of the server. Settings come with a repository,
	// and a repository must not be able to send code where it likes.
	trustVariable = "CODE_INTEL_EMBEDDING_URL"
	// plainVariable, set to 1, lets that server be one on another machine without
	// encryption.
	plainVariable = "CODE_INTEL_EMBEDDING_INSECURE"
)

// trusted tells whether the user named the server of u.
func trusted(u *url.URL, getenv func(string) string) error {
	named, err := url.Parse(strings.TrimSpace(getenv(trustVariable)))
	if err != nil || origin(named) != origin(u) {
		return problem.Newf(Untrusted, "The settings of this repository would send its text to %s, which its user has not allowed.", origin(u)).
			Or(fmt.Sprintf("If you trust that server, set %s=%s where code-intel is started.", trustVariable, origin(u))).
			Or(`Set embedding_model to "builtin", which sends nothing.`)
	}
	if u.Scheme == "http" && !loopback(u.Hostname()) && getenv(plainVariable) != "1" {
		return problem.Newf(Untrusted, "%s is on another machine and not encrypted.", origin(u)).
			Or("Use https.").
			Or(fmt.Sprintf("If the network is your own, set %s=1 where code-intel is started.", plainVariable))
	}
	return nil
}

// origin is what makes a server: scheme, host and port.
func origin(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Scheme + "://" + net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}
