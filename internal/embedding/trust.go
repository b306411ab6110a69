package embedding

import (
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

// trusted says whether the user named the server of u.
func trusted(u *url.URL, getenv func(string) string) error {
	named, err := url.Parse(strings.TrimSpace(getenv(trustVariable)))
	if err != nil || origin(named) != origin(u) {
		return problem.New(Untrusted, "embedding.settings_would_send_text_away", origin(u)).
			Or("embedding.if_you_trust_server_set", trustVariable, origin(u)).
			Or("embedding.builtin_sends_nothing")
	}
	if u.Scheme == "http" && !loopback(u.Hostname()) && getenv(plainVariable) != "1" {
		return problem.New(Untrusted, "embedding.another_machine_not_encrypted", origin(u)).
			Or("embedding.use_https").
			Or("embedding.if_network_your_own_set", plainVariable)
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
