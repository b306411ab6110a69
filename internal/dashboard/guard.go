package dashboard

import (
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
)

// policy lets the page load what is its own, and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// keyHeader is what a page sends along with what it changes. A page of another
// origin cannot send it, and cannot know what belongs in it.
const keyHeader = "X-Code-Intel-Key"

// hosts are the names by which a request may ask for this server. A page that has
// its own name resolve to 127.0.0.1 is recognised by that name.
type hosts struct {
	names []string
	port  string
	any   bool // any address, for it listens at all of them; never any name
}

func newHosts(host string, address net.Addr) hosts {
	bound, port, err := net.SplitHostPort(address.String())
	if err != nil {
		return hosts{}
	}
	ip := net.ParseIP(bound)
	h := hosts{names: []string{strings.ToLower(host), bound}, port: port, any: ip != nil && ip.IsUnspecified()}
	if ip == nil || ip.IsLoopback() || h.any {
		h.names = append(h.names, "localhost", "127.0.0.1", "::1")
	}
	return h
}

func (h hosts) allow(hostport string) bool {
	host, port, err := net.SplitHostPort(hostport)
	if err != nil {
		host, port = strings.Trim(hostport, "[]"), "80"
	}
	if port != h.port {
		return false
	}
	return slices.Contains(h.names, strings.ToLower(host)) || h.any && net.ParseIP(host) != nil
}

// underRunFolder serves what is below the folder of this run. Browsers send a cookie to every port
// of a host, but only for addresses in the folder that it was given for; no other page knows this one.
func (s *Server) underRunFolder(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if rest, ok := strings.CutPrefix(r.URL.Path, s.folder); ok {
			inside := *r.URL
			inside.Path, inside.RawPath = "/"+rest, ""
			r = r.Clone(r.Context())
			r.URL = &inside
		}
		next.ServeHTTP(w, r)
	})
}

// guarded lets a request pass if it names one of the server's hosts and holds the token: in
// its address at first, in a cookie from then on. A request that changes something must come
// from the page itself.
func (s *Server) guarded(h hosts, next http.Handler) http.Handler {
	name := "code-intel-" + h.port // browsers keep one jar for all ports of a host
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		head := w.Header()
		head.Set("Content-Security-Policy", policy)
		head.Set("X-Content-Type-Options", "nosniff")
		head.Set("X-Frame-Options", "DENY")
		head.Set("Referrer-Policy", "no-referrer")
		head.Set("Cross-Origin-Opener-Policy", "same-origin")
		head.Set("Cross-Origin-Resource-Policy", "same-origin")
		head.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
		head.Set("Cache-Control", "no-store")
		cookie, _ := r.Cookie(name)
		switch known := cookie != nil && equalConstantTime(cookie.Value, s.cookie); {
		case !h.allow(r.Host):
			http.Error(w, "this server does not answer to the host "+r.Host, http.StatusForbidden)
		case isCrossSite(r):
			http.Error(w, "other pages may not call this server", http.StatusForbidden)
		case r.Method == http.MethodGet && r.URL.Path == "/" && r.URL.Query().Has("token"):
			s.exchangeToken(w, r, name)
		case !known:
			http.Error(w, "Open the address that code-intel dashboard has printed: it holds the token of this run.",
				http.StatusUnauthorized)
		case r.Method != http.MethodGet && r.Method != http.MethodHead && !equalConstantTime(r.Header.Get(keyHeader), s.key):
			http.Error(w, "the request does not come from the page", http.StatusForbidden)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// isCrossSite reports whether a request comes from another site. A request that changes
// something must say that it comes from this site.
func isCrossSite(r *http.Request) bool {
	origin, changes := strings.Join(r.Header.Values("Origin"), ","), r.Method != http.MethodGet && r.Method != http.MethodHead
	if origin != "" && origin != "http://"+r.Host || origin == "" && changes {
		return true
	}
	site := r.Header.Get("Sec-Fetch-Site")
	typed := r.Method == http.MethodGet && r.URL.Path == "/" // or followed from a mail, a terminal, a file
	return site != "" && site != "same-origin" && site != "none" && !typed
}

// exchangeToken takes the token and gives a cookie for it. The page is then opened by
// another request of the browser's own, without the token in its address: a
// redirect would count as a request of the page that linked here, and browsers would send it
// without the cookie.
func (s *Server) exchangeToken(w http.ResponseWriter, r *http.Request, name string) {
	if !equalConstantTime(r.URL.Query().Get("token"), s.token) {
		http.Error(w, "This is not the token of this run. Open the address that code-intel dashboard has printed last.", http.StatusUnauthorized)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: name, Value: s.cookie, Path: s.folder, HttpOnly: true, SameSite: http.SameSiteStrictMode})
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(w, `<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=%[1]s"><link rel="icon" href="%[1]sicon.svg" type="image/svg+xml"><title>code-intel</title><p><a href="%[1]s">code-intel</a></p></html>`, s.folder)
}

func equalConstantTime(a, b string) bool {
	return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1
}
