package web

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// guard decides which requests are answered. Loopback is not authorization: other users of the machine, and pages of other sites in
// the user's browser, reach it too.
//
//   - The Host must be a loopback name, so that no foreign name that resolves to 127.0.0.1 works. The port may differ: an SSH tunnel has its own.
//   - Origin and Sec-Fetch-Site, where a browser sends them, must be our own. A page on another port of 127.0.0.1 is foreign.
//   - Data needs a session: a cookie that scripts cannot read, and a key that the cookie's jar does not hold. Cookies are sent to
//     every port of a host, so a server on another port could see the cookie; the key stays with our origin.
//   - The link's token makes one session. It is in the fragment, which no browser sends and no log keeps.
type guard struct {
	cookie string // its name, different for each server: ports share cookies
	secret []byte // sessions and their keys are made from it

	mu    sync.Mutex
	token string // of the link that was not used yet
	used  func() // called after a link was used; may be nil
}

func newGuard() *guard {
	g := &guard{secret: random(32), token: text(random(32))}
	id := sha256.Sum256(append([]byte("cookie"), g.secret...))
	g.cookie = "saturate_" + text(id[:6])
	return g
}

func random(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails: crypto/rand ends the program instead
	return b
}

func text(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// sign derives a value that only this server can make.
func (g *guard) sign(what string) string {
	m := hmac.New(sha256.New, g.secret)
	m.Write([]byte(what))
	return text(m.Sum(nil))
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// current is the token of the next link.
func (g *guard) current() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.token
}

// exchange takes a link's token, once, and makes a session.
func (g *guard) exchange(token string) (session, key string, ok bool) {
	g.mu.Lock()
	if ok = same(token, g.token); ok {
		g.token = text(random(32))
	}
	used := g.used
	g.mu.Unlock()
	if !ok {
		return "", "", false
	}
	id := text(random(16))
	session = id + "." + g.sign("session "+id)
	if used != nil {
		used()
	}
	return session, g.sign("key " + session), true
}

// known reports whether the request belongs to a session.
func (g *guard) known(r *http.Request) bool {
	c, err := r.Cookie(g.cookie)
	if err != nil {
		return false
	}
	id, _, _ := strings.Cut(c.Value, ".")
	return same(c.Value, id+"."+g.sign("session "+id)) && same(r.Header.Get("X-Saturate"), g.sign("key "+c.Value))
}

// refuse says why a request is not answered at all; "" when nothing speaks against it.
func refuse(r *http.Request) string {
	page := !strings.HasPrefix(r.URL.Path, "/api/")
	login := r.URL.Path == loginPath
	switch {
	case !loopbackHost(r.Host):
		return "the address must be localhost, 127.0.0.1 or [::1]"
	case r.Method != http.MethodGet && r.Method != http.MethodHead && (r.Method != http.MethodPost || !login):
		return "this server only reads"
	case login && r.Method != http.MethodPost:
		return "a session is opened by POST"
	case login && !ownOrigin(r, false):
		return "the request comes from another page"
	case !ownOrigin(r, true):
		return "the request comes from another page"
	case strings.Contains(r.URL.Path, "..") || strings.ContainsAny(r.URL.Path, "\\\x00"):
		return "no such path"
	}
	site := r.Header.Values("Sec-Fetch-Site")
	switch {
	case len(site) == 0, len(site) == 1 && site[0] == "same-origin", len(site) == 1 && site[0] == "none" && page:
	case page && len(site) == 1 && (site[0] == "cross-site" || site[0] == "same-site") && r.Header.Get("Sec-Fetch-Mode") == "navigate" &&
		r.Header.Get("Sec-Fetch-Dest") == "document":
		// A link in a chat or an issue leads here. The page has no data in it, and nobody may frame it.
	default:
		return "the request comes from another page"
	}
	return ""
}

// loopbackHost reports whether a Host header names this machine's loopback.
func loopbackHost(host string) bool {
	name := host
	if h, port, err := net.SplitHostPort(host); err == nil {
		if port == "" || strings.Trim(port, "0123456789") != "" {
			return false
		}
		name = h
	} else if strings.HasPrefix(host, "[") {
		name = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	}
	return slices.Contains([]string{"localhost", "127.0.0.1", "::1"}, name)
}

// ownOrigin reports whether the Origin header, if there is one, is this server as the request names it.
func ownOrigin(r *http.Request, mayLack bool) bool {
	origins := r.Header.Values("Origin")
	if len(origins) == 0 {
		return mayLack
	}
	u, err := url.Parse(origins[0])
	return len(origins) == 1 && err == nil && u.Scheme == "http" && u.Host == r.Host && u.Path == "" && u.User == nil
}

// policy is what the page may do: only what comes from here.
const policy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

func setHeaders(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}
