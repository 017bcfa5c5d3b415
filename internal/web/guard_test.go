package web

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"saturate/internal/report"
	"saturate/internal/run"
)

// testServer serves a library on a loopback port without a network: requests go to ServeHTTP.
func testServer(t *testing.T, opt Options) *Server {
	t.Helper()
	if opt.Cache == "" {
		opt.Cache = t.TempDir()
	}
	if opt.Show == nil {
		opt.Show = func([]run.Run) (report.Report, error) { return report.Report{Title: "Run"}, nil }
	}
	if opt.Compare == nil {
		opt.Compare = func(_, _ run.Run) report.Report { return report.Report{Title: "Two runs"} }
	}
	library, err := NewLibrary(opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { library.Close() })
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	s, err := New(library, listener)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// request makes a request as the page would; headers with an empty value are taken away.
func request(s *Server, method, path, body string, headers ...string) *http.Request {
	host := strings.TrimPrefix(s.base, "http://")
	r := httptest.NewRequest(method, "http://"+host+"/", strings.NewReader(body))
	r.URL.Path, r.URL.RawQuery, _ = strings.Cut(path, "?")
	r.Host = host
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	r.Header.Set("Origin", s.base)
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		} else if headers[i+1] == "" {
			r.Header.Del(headers[i])
		} else {
			r.Header.Set(headers[i], headers[i+1])
		}
	}
	return r
}

func send(s *Server, r *http.Request) (int, http.Header, string) {
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	body, _ := io.ReadAll(w.Body)
	return w.Code, w.Result().Header, string(body)
}

// open makes a session and returns its headers.
func openSession(t *testing.T, s *Server) (headers []string) {
	t.Helper()
	code, h, body := send(s, request(s, "POST", loginPath, `{"token":"`+s.guard.current()+`"}`))
	var key struct{ Key string }
	if code != 200 || json.Unmarshal([]byte(body), &key) != nil || key.Key == "" {
		t.Fatalf("login: %d %s", code, body)
	}
	set := h.Get("Set-Cookie")
	for _, want := range []string{"HttpOnly", "SameSite=Strict", "Path=/"} {
		if !strings.Contains(set, want) {
			t.Errorf("the cookie lacks %s: %s", want, set)
		}
	}
	cookie, _, _ := strings.Cut(set, ";")
	return []string{"Cookie", cookie, "X-Saturate", key.Key}
}

// TestHostileRequests: every request that is not the user's own page is refused, with and without a session.
func TestHostileRequests(t *testing.T) {
	s := testServer(t, Options{Folders: []string{t.TempDir()}})
	mine := openSession(t, s)
	if code, _, body := send(s, request(s, "GET", "/api/index", "", mine...)); code != 200 {
		t.Fatalf("the page itself is refused: %d %s", code, body)
	}
	with := func(headers ...string) []string { return append(append([]string{}, mine...), headers...) }
	token := s.guard.current()
	login := `{"token":"` + token + `"}`
	cookie, key := mine[1], mine[3]
	hostile := []struct {
		name, method, path, body string
		headers                  []string
	}{
		// Host: a name that resolves to 127.0.0.1 is not ours.
		{"rebinding", "GET", "/api/index", "", with("Host", "evil.example")},
		{"rebinding with our port", "GET", "/api/index", "", with("Host", "evil.example:80")},
		{"rebinding the page", "GET", "/", "", with("Host", "evil.example")},
		{"rebinding the login", "POST", loginPath, login, []string{"Host", "evil.example", "Origin", "http://evil.example"}},
		{"name that begins like ours", "GET", "/api/index", "", with("Host", "localhost.evil.example")},
		{"name that ends like ours", "GET", "/api/index", "", with("Host", "evil-localhost")},
		{"address of the network", "GET", "/api/index", "", with("Host", "192.168.0.7:8080")},
		{"any address", "GET", "/api/index", "", with("Host", "0.0.0.0:8080")},
		{"no host", "GET", "/api/index", "", with("Host", "")},
		{"host with a user", "GET", "/api/index", "", with("Host", "localhost@evil.example")},
		{"port that is not a number", "GET", "/api/index", "", with("Host", "localhost:x")},
		{"nip.io", "GET", "/api/index", "", with("Host", "127.0.0.1.nip.io")},
		// Origin.
		{"foreign origin", "GET", "/api/index", "", with("Origin", "https://evil.example")},
		{"null origin", "GET", "/api/index", "", with("Origin", "null")},
		{"another port", "GET", "/api/index", "", with("Origin", "http://127.0.0.1:1")},
		{"another scheme", "GET", "/api/index", "", with("Origin", "https"+strings.TrimPrefix(s.base, "http"))},
		{"origin with a user", "GET", "/api/index", "", with("Origin", "http://u@"+strings.TrimPrefix(s.base, "http://"))},
		{"foreign origin of the page", "GET", "/", "", []string{"Origin", "https://evil.example"}},
		{"login without an origin", "POST", loginPath, login, []string{"Origin", ""}},
		{"login from elsewhere", "POST", loginPath, login, []string{"Origin", "https://evil.example"}},
		// Sec-Fetch-Site.
		{"cross-site", "GET", "/api/index", "", with("Sec-Fetch-Site", "cross-site")},
		{"same-site: another port", "GET", "/api/index", "", with("Sec-Fetch-Site", "same-site")},
		{"typed address of the API", "GET", "/api/index", "", with("Sec-Fetch-Site", "none")},
		{"unknown word", "GET", "/api/index", "", with("Sec-Fetch-Site", "friend")},
		{"script tag", "GET", "/app.js", "", []string{"Origin", "", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors", "Sec-Fetch-Dest", "script"}},
		{"frame", "GET", "/", "", []string{"Origin", "", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe"}},
		{"login by a form", "POST", loginPath, login, []string{"Sec-Fetch-Site", "cross-site"}},
		// Tokens and sessions.
		{"no session", "GET", "/api/index", "", nil},
		{"cookie alone", "GET", "/api/index", "", []string{"Cookie", cookie}},
		{"key alone", "GET", "/api/index", "", []string{"X-Saturate", key}},
		{"wrong key", "GET", "/api/index", "", []string{"Cookie", cookie, "X-Saturate", key[1:] + "A"}},
		{"forged session", "GET", "/api/index", "", []string{"Cookie", s.guard.cookie + "=abc.def", "X-Saturate", key}},
		{"empty session", "GET", "/api/index", "", []string{"Cookie", s.guard.cookie + "=.", "X-Saturate", key}},
		{"token as a session", "GET", "/api/index", "", []string{"Cookie", s.guard.cookie + "=" + token, "X-Saturate", token}},
		{"token in the address", "GET", "/api/index?token=" + token, "", nil},
		{"empty token", "POST", loginPath, `{"token":""}`, nil},
		{"wrong token", "POST", loginPath, `{"token":"` + token[1:] + `A"}`, nil},
		{"no JSON", "POST", loginPath, "token=" + token, nil},
		{"form", "POST", loginPath, login, []string{"Content-Type", "text/plain"}},
		{"long body", "POST", loginPath, `{"token":"` + strings.Repeat("a", 1<<20) + `"}`, nil},
		// Paths and methods.
		{"traversal", "GET", "/../../etc/passwd", "", mine},
		{"traversal in a run", "GET", "/api/run/../../../etc/passwd", "", mine},
		{"backslashes", "GET", "/api/run/..\\..\\etc\\passwd", "", mine},
		{"NUL", "GET", "/api/run/\x00", "", mine},
		{"path as an id", "GET", "/api/trace/%2Fetc%2Fpasswd", "", mine},
		{"file of the page's source", "GET", "/ui/src/main.tsx", "", mine},
		{"write", "PUT", "/api/run/1", "{}", mine},
		{"delete", "DELETE", "/api/run/1", "", mine},
		{"post", "POST", "/api/index", "{}", mine},
		{"login by GET", "GET", loginPath, "", mine},
		{"trace", "TRACE", "/", "", mine},
		{"options", "OPTIONS", "/api/index", "", []string{"Origin", "https://evil.example", "Access-Control-Request-Method", "GET"}},
	}
	for _, h := range hostile {
		code, header, body := send(s, request(s, h.method, h.path, h.body, h.headers...))
		if code < 400 {
			t.Errorf("%s: answered with %d %.80s", h.name, code, body)
		}
		if header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: lets another origin read", h.name)
		}
		if header.Get("Set-Cookie") != "" {
			t.Errorf("%s: got a session", h.name)
		}
	}
	if len(hostile) < 40 {
		t.Errorf("only %d hostile requests", len(hostile))
	}
	if s.guard.current() != token {
		t.Error("a hostile request used the link up")
	}
	t.Logf("%d hostile requests refused", len(hostile))
}

// TestLinkWorksOnce: whoever finds a used link in a history cannot open the page with it.
func TestLinkWorksOnce(t *testing.T) {
	s := testServer(t, Options{Folders: []string{t.TempDir()}})
	body := `{"token":"` + s.guard.current() + `"}`
	if code, _, _ := send(s, request(s, "POST", loginPath, body)); code != 200 {
		t.Fatal("the link does not work")
	}
	if code, _, _ := send(s, request(s, "POST", loginPath, body)); code != 401 {
		t.Errorf("the link works again: %d", code)
	}
	openSession(t, s) // the next link works
}

// TestLinksFromElsewhere: a link in a chat opens the page, which has no data in it; an SSH tunnel has another port.
func TestLinksFromElsewhere(t *testing.T) {
	s := testServer(t, Options{Folders: []string{t.TempDir()}})
	code, header, _ := send(s, request(s, "GET", "/run/1", "", "Origin", "", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"))
	if code != 200 || !strings.Contains(header.Get("Content-Security-Policy"), "frame-ancestors 'none'") {
		t.Errorf("a link from a chat: %d %v", code, header)
	}
	if code, _, _ := send(s, request(s, "GET", "/", "", "Host", "localhost:9000", "Origin", "")); code != 200 {
		t.Errorf("a tunnel: %d", code)
	}
}
