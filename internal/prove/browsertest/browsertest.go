// Package browsertest looks at pages in headless Chromium, in tests:
//
//	browser := browsertest.Start(t)
//	page := browser.Open(t, stack.URL()+"/docs")
//	page.Click(`button[type="submit"]`)
//	page.Await(`document.querySelector(".status")?.textContent === "200"`)
//
// Chromium takes more of the processor than all other tests of a page together. So make test/browser runs these tests,
// and make test skips them.
package browsertest

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/png"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// programs are names of Chromium. The first one has no windows, so a page costs it half as much.
var programs = []string{
	"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable",
}

// timeout is how long a page may take, on a machine that is busy with other tests.
const timeout = time.Minute

// Browser is a Chromium with its own profile.
type Browser struct {
	ctx context.Context
}

// Start starts Chromium, and ends it with the test. It skips the test unless make test/browser runs it, which finds a
// test by the end of its name.
func Start(t testing.TB) *Browser {
	t.Helper()
	if name, _, _ := strings.Cut(t.Name(), "/"); !strings.HasSuffix(name, "InABrowser") {
		t.Fatalf("make test/browser does not find %s: its name has to end in InABrowser", name)
	}
	if os.Getenv("FRONTDESK_BROWSER") == "" {
		t.Skip("make test/browser runs it")
	}
	program := find()
	if program == "" {
		t.Fatalf("none of %q is installed", programs)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program),
		chromedp.UserDataDir(t.TempDir()),
		chromedp.NoSandbox, // the sandbox does not work as root, and containers run as root
		chromedp.DisableGPU,
		// All pages of a test share one process, which halves their cost.
		chromedp.Flag("renderer-process-limit", "1"),
		chromedp.Flag("disable-site-isolation-trials", true),
		chromedp.Flag("disable-component-update", true),
	)
	// Not t.Context(), which ends before the cleanup that closes the browser in an orderly way.
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, _ = chromedp.NewContext(ctx)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("start %s: %v", program, err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		if err := chromedp.Cancel(ctx); err != nil {
			t.Errorf("close %s: %v", program, err)
		}
	})
	return &Browser{ctx}
}

func find() string {
	for _, name := range programs {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// Page is a page in a window of its own. An action that takes longer than a minute fails the test.
type Page struct {
	t   testing.TB
	ctx context.Context
}

// Open opens a page with 1280 by 800 pixels, and closes it with the test.
func (b *Browser) Open(t testing.TB, url string) *Page {
	t.Helper()
	ctx, cancel := chromedp.NewContext(b.ctx)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("open a window: %v", err)
	}
	p := &Page{t, ctx}
	p.Resize(1280, 800)
	p.Dark(false)
	p.Go(url)
	return p
}

// Go navigates to another address, and waits until that is loaded.
func (p *Page) Go(url string) {
	p.t.Helper()
	run(p, "open "+url, chromedp.Navigate(url))
}

// Reload loads the page again, and waits until it is loaded.
func (p *Page) Reload() {
	p.t.Helper()
	run(p, "reload", chromedp.Reload())
}

// Resize sets the size of the window in pixels. A width below 500 emulates a phone.
func (p *Page) Resize(width, height int64) {
	p.t.Helper()
	_, err := chromedp.Call(p.ctx, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: width, Height: height, DeviceScaleFactor: 1, Mobile: width < 500,
	})
	if err != nil {
		p.t.Fatalf("resize the window: %v", err)
	}
}

// Dark makes the browser prefer dark colours, or light ones, which it prefers at first. They change at once, because it
// prefers reduced motion, too.
func (p *Page) Dark(dark bool) {
	p.t.Helper()
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	_, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
		},
	})
	if err != nil {
		p.t.Fatalf("set the colours: %v", err)
	}
}

// Await waits until a JavaScript expression is true.
func (p *Page) Await(expression string) {
	p.t.Helper()
	deadline := time.Now().Add(timeout)
	for pause := time.Millisecond; ; pause = min(2*pause, 40*time.Millisecond) {
		if p.holds(expression) {
			return
		}
		time.Sleep(pause)
		if time.Now().After(deadline) {
			text := Eval[string](p, "document.body.innerText.slice(0, 1000)")
			p.t.Fatalf("this has not become true: %s\nthe page reads:\n%s", expression, text)
		}
	}
}

// holds reports whether a JavaScript expression is true now. It is not where the page has just given way to the next
// one.
func (p *Page) holds(expression string) bool {
	p.t.Helper()
	value, err := attempt(p, chromedp.Evaluate[bool]("Boolean("+expression+")"))
	if err != nil && !cannotAnswer(err) {
		p.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// Eval returns the value of a JavaScript expression.
func Eval[T any](p *Page, expression string) T {
	p.t.Helper()
	return run(p, expression, chromedp.Evaluate[T](expression))
}

// Click waits until the element with this CSS selector is visible, and clicks on it. A page that redraws itself may
// replace the element meanwhile; then Click looks for it again.
func (p *Page) Click(selector string) {
	p.t.Helper()
	deadline := time.Now().Add(timeout)
	for {
		_, err := attempt(p, chromedp.Click(chromedp.CSS(selector), chromedp.NodeVisible))
		if err == nil {
			return
		}
		if !cannotAnswer(err) || time.Now().After(deadline) {
			p.t.Fatalf("click on %s: %v", selector, err)
		}
	}
}

// ClickUntil clicks on an element until an expression is true. On a page that moves at the same time, a click may miss
// the element.
func (p *Page) ClickUntil(selector, expression string) {
	p.t.Helper()
	for deadline := time.Now().Add(timeout); ; {
		p.Click(selector)
		for range 50 {
			if p.holds(expression) {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
		if time.Now().After(deadline) {
			p.Await(expression) // which reports what the page shows instead
		}
	}
}

// ClickAt clicks on a point of the window, which may be in a frame.
func (p *Page) ClickAt(x, y float64) {
	p.t.Helper()
	run(p, "click", chromedp.MouseClickXY(x, y))
}

// Press presses keys one after the other. Package kb of chromedp names the special ones, for instance kb.Tab.
func (p *Page) Press(keys string) {
	p.t.Helper()
	run(p, "press keys", chromedp.KeyEvent(keys))
}

// PressKey presses a letter or a sign as a keyboard does: if the page handles the key itself, nothing is typed.
func (p *Page) PressKey(key string) {
	p.t.Helper()
	for _, event := range []input.DispatchKeyEventParams{
		{Type: input.DispatchKeyEventTypeKeyDown, Key: key, Text: key},
		{Type: input.DispatchKeyEventTypeKeyUp, Key: key},
	} {
		if _, err := chromedp.Call(p.ctx, input.DispatchKeyEvent, event); err != nil {
			p.t.Fatalf("press %s: %v", key, err)
		}
	}
}

// Insert inserts a text at the cursor at once, as pasting does. Typing is slow on a page that redraws itself with
// each key.
func (p *Page) Insert(text string) {
	p.t.Helper()
	if _, err := chromedp.Call(p.ctx, input.InsertText, input.InsertTextParams{Text: text}); err != nil {
		p.t.Fatalf("insert a text: %v", err)
	}
}

// SaveDownloads makes the browser save downloads into a folder, without asking.
func (p *Page) SaveDownloads(folder string) {
	p.t.Helper()
	_, err := chromedp.CallBrowser(p.ctx, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
		Behavior: browser.SetDownloadBehaviorBehaviorAllow, DownloadPath: folder,
	})
	if err != nil {
		p.t.Fatalf("save downloads: %v", err)
	}
}

// Screenshot returns a picture of the window.
func (p *Page) Screenshot() image.Image {
	p.t.Helper()
	picture, err := png.Decode(bytes.NewReader(run(p, "take a screenshot", chromedp.CaptureScreenshot())))
	if err != nil {
		p.t.Fatalf("take a screenshot: %v", err)
	}
	return picture
}

// run performs an action on the page, within a minute.
func run[T any](p *Page, what string, action chromedp.Action[T]) T {
	p.t.Helper()
	value, err := attempt(p, action)
	if err != nil {
		p.t.Fatalf("%s: %v", what, err)
	}
	return value
}

// attempt performs an action on the page, within a minute.
func attempt[T any](p *Page, action chromedp.Action[T]) (T, error) {
	ctx, cancel := context.WithTimeout(p.ctx, timeout)
	defer cancel()
	return chromedp.Run(ctx, action)
}

// cannotAnswer reports whether Chromium could not answer because the page or the element had just been replaced. Errors
// of JavaScript have other codes.
func cannotAnswer(err error) bool {
	const serverError = -32000 // as in JSON-RPC
	refused := &cdproto.Error{}
	return errors.As(err, &refused) && refused.Code == serverError
}
