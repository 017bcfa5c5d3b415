package web

import (
	"io"
	"net"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"saturate/internal/run"
)

// forward stands in for `ssh -L PORT:127.0.0.1:REMOTE`: what arrives at its own port goes to another, byte for byte.
func forward(t *testing.T, network, to string) (port string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial(network, to)
			if err != nil {
				near.Close()
				continue
			}
			for _, way := range [][2]net.Conn{{near, far}, {far, near}} {
				go func() {
					_, _ = io.Copy(way[0], way[1])
					way[0].Close()
				}()
			}
		}
	}()
	_, port, err = net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// TestThroughTunnel opens the page through a forwarded port, under the name localhost, and watches a Run there.
func TestThroughTunnel(t *testing.T) {
	root := t.TempDir()
	r, err := run.Create(root, "remote", run.Options{Command: []string{"python", "train.py"}})
	if err != nil {
		t.Fatal(err)
	}
	b := openBrowser(t, Options{Folders: []string{root}})
	near := "http://localhost:" + forward(t, "tcp", strings.TrimPrefix(b.server.base, "http://"))
	b.file = near // another address than the server's own
	b.do("open the link with the tunnel's port", chromedp.Navigate(near+strings.TrimPrefix(b.server.Link("/"), b.server.base)), chromedp.WaitVisible(`//a[text()="remote"]`))
	b.do("open the Run", chromedp.Click(`//a[text()="remote"]`), chromedp.WaitVisible(`//p[contains(., "Waiting for the first step")]`))
	for i := range 5 {
		if err := r.Step(liveStep(i, 0.1)); err != nil {
			t.Fatal(err)
		}
	}
	b.await(`document.querySelector('.figures dd')?.innerText === '5'`)
	if got := b.text(`location.origin`); got != near {
		t.Errorf("the page is at %s", got)
	}
	if _, err := r.Finish(0); err != nil {
		t.Fatal(err)
	}
	b.await(`document.querySelector('.kicker .state')?.innerText === 'complete'`)
}
