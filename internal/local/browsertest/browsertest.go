// Package browsertest looks at pages in headless Chromium, in tests:
//
//	browser := browsertest.Start(t)
//	page := browser.Open(t, stack.URL()+"/docs")
//	page.Click(`button[type="submit"]`)
//	page.Await(`document.querySelector(".status")?.textContent === "200"`)
//
// Where there is no Chromium the test is skipped.
package browsertest

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"os/exec"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// programs are what Chromium is called, first the one that has no windows of its own: pages cost it half as much.
var programs = []string{
	"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable",
}

// timeout is how long a page may take for what is awaited, on a machine that is busy with other tests.
const timeout = time.Minute

// Browser is one Chromium, with a profile of its own.
type Browser struct {
	ctx context.Context
}

// Start starts Chromium and ends it with the test. It skips the test where there is none.
func Start(t testing.TB) *Browser {
	t.Helper()
	program := find()
	if program == "" {
		t.Skipf("none of %q is installed", programs)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program),
		chromedp.UserDataDir(t.TempDir()),
		chromedp.NoSandbox, // it cannot be had as root, which containers run as
		chromedp.DisableGPU,
		// The pages of a test share one process, which halves what they cost.
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

// Page is a page in a window of its own. What it cannot do within a minute fails the test.
type Page struct {
	t   testing.TB
	ctx context.Context
}

// Open opens a page at 1280 by 800 pixels, and closes it with the test.
func (b *Browser) Open(t testing.TB, url string) *Page {
	t.Helper()
	ctx, cancel := chromedp.NewContext(b.ctx)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("open a window: %v", err)
	}
	p := &Page{t, ctx}
	p.Resize(1280, 800)
	p.Go(url)
	return p
}

// Go leads the page to another address and waits until it is loaded.
func (p *Page) Go(url string) {
	p.t.Helper()
	run(p, "open "+url, chromedp.Navigate(url))
}

// Reload loads the page anew and waits until it is loaded.
func (p *Page) Reload() {
	p.t.Helper()
	run(p, "reload", chromedp.Reload())
}

// Resize sets the size of the window in pixels; one narrower than 500 is a phone's.
func (p *Page) Resize(width, height int64) {
	p.t.Helper()
	_, err := chromedp.Call(p.ctx, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: width, Height: height, DeviceScaleFactor: 1, Mobile: width < 500,
	})
	if err != nil {
		p.t.Fatalf("resize the window: %v", err)
	}
}

// Dark has the page ask for dark colours, or for light ones.
func (p *Page) Dark(dark bool) {
	p.t.Helper()
	scheme := emulation.MediaFeature{Name: "prefers-color-scheme", Value: "light"}
	if dark {
		scheme.Value = "dark"
	}
	_, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia,
		emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{&scheme}})
	if err != nil {
		p.t.Fatalf("set the colours: %v", err)
	}
}

// Await waits until a JavaScript expression is true.
func (p *Page) Await(expression string) {
	p.t.Helper()
	deadline := time.Now().Add(timeout)
	for pause := time.Millisecond; ; pause = min(2*pause, 40*time.Millisecond) {
		if Eval[bool](p, "Boolean("+expression+")") {
			return
		}
		time.Sleep(pause)
		if time.Now().After(deadline) {
			text := Eval[string](p, "document.body.innerText.slice(0, 1000)")
			p.t.Fatalf("this has not become true: %s\nthe page reads:\n%s", expression, text)
		}
	}
}

// Eval is the value of a JavaScript expression.
func Eval[T any](p *Page, expression string) T {
	p.t.Helper()
	return run(p, expression, chromedp.Evaluate[T](expression))
}

// Click waits until the element with the CSS selector is visible, and clicks on it.
func (p *Page) Click(selector string) {
	p.t.Helper()
	run(p, "click on "+selector, chromedp.Click(chromedp.CSS(selector), chromedp.NodeVisible))
}

// ClickUntil clicks on an element, again and again until an expression is true: where the page moves at the same time,
// a click may meet what is beside the element.
func (p *Page) ClickUntil(selector, expression string) {
	p.t.Helper()
	for deadline := time.Now().Add(timeout); ; {
		p.Click(selector)
		for range 50 {
			if Eval[bool](p, "Boolean("+expression+")") {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
		if time.Now().After(deadline) {
			p.Await(expression) // which says what the page has instead
		}
	}
}

// ClickAt clicks on a point of the window, which may be in a frame.
func (p *Page) ClickAt(x, y float64) {
	p.t.Helper()
	run(p, "click", chromedp.MouseClickXY(x, y))
}

// Press presses keys one after the other, as package kb of chromedp names them, such as kb.Tab.
func (p *Page) Press(keys string) {
	p.t.Helper()
	run(p, "press keys", chromedp.KeyEvent(keys))
}

// PressKey presses the key of a letter or a sign as a keyboard does: a page that keeps the key to itself gets
// nothing written.
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

// Insert puts a text where the cursor is, at once, as pasting does: a page that draws itself anew with each key takes
// long for one that is typed.
func (p *Page) Insert(text string) {
	p.t.Helper()
	if _, err := chromedp.Call(p.ctx, input.InsertText, input.InsertTextParams{Text: text}); err != nil {
		p.t.Fatalf("insert a text: %v", err)
	}
}

// SaveDownloads has the browser save what its pages download into a folder, without asking.
func (p *Page) SaveDownloads(folder string) {
	p.t.Helper()
	_, err := chromedp.CallBrowser(p.ctx, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
		Behavior: browser.SetDownloadBehaviorBehaviorAllow, DownloadPath: folder,
	})
	if err != nil {
		p.t.Fatalf("save downloads: %v", err)
	}
}

// Screenshot is the window as it is seen.
func (p *Page) Screenshot() image.Image {
	p.t.Helper()
	picture, err := png.Decode(bytes.NewReader(run(p, "take a screenshot", chromedp.CaptureScreenshot())))
	if err != nil {
		p.t.Fatalf("take a screenshot: %v", err)
	}
	return picture
}

// run lets the page do something within a minute.
func run[T any](p *Page, what string, action chromedp.Action[T]) T {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, timeout)
	defer cancel()
	value, err := chromedp.Run(ctx, action)
	if err != nil {
		p.t.Fatalf("%s: %v", what, err)
	}
	return value
}
