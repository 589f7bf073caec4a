package local_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/develop/local"
	"frontdesk/internal/develop/local/console"
	"frontdesk/internal/develop/local/eventbridge"
	"frontdesk/internal/develop/local/ses"
	"frontdesk/internal/prove/browsertest"
	"frontdesk/internal/prove/expect"

	"github.com/chromedp/chromedp/kb"
)

// TestConsoleInABrowser runs all tests that need a browser. They share one, because starting it is slow.
func TestConsoleInABrowser(t *testing.T) {
	t.Parallel()
	browser := browsertest.Start(t)
	for name, test := range map[string]func(*testing.T, *browsertest.Browser){
		"a mail appears, and is read":       testMailIsRead,
		"a hostile mail":                    testHostileMail,
		"a page of another origin":          testOtherOrigin,
		"the keyboard alone":                testKeyboard,
		"what became of a mail":             testEvents,
		"requests and credentials":          testRequestsAndCredentials,
		"a thousand mails":                  testThousandMails,
		"a phone":                           testPhone,
		"a function that cannot be built":   testFailedBuild,
		"the stack goes, with what it said": testConnectionLost,
		"the outbox's tools":                testOutboxTools,
		"what the list says of mails":       testListSays,
		"the login page":                    testLogin,
		"the keys":                          testKeys,
		"pictures of sites":                 testRemotePictures,
		"the requests' tools":               testRequestTools,
		"every screen for everybody":        testScreens,
	} {
		t.Run(name, func(t *testing.T) { test(t, browser) })
	}
}

// signal is the colour of the picture that [awaitPicture] looks for.
var signal = color.RGBA{R: 255, B: 254, A: 255}

// picture returns a square PNG in the colour signal.
func picture(t *testing.T, size int) []byte {
	t.Helper()
	area := image.NewRGBA(image.Rect(0, 0, size, size))
	for i := range size * size {
		area.Set(i%size, i/size, signal)
	}
	var encoded bytes.Buffer
	if err := png.Encode(&encoded, area); err != nil {
		t.Fatal(err)
	}
	return encoded.Bytes()
}

// awaitPicture waits until a screenshot shows the picture of 40 by 40 pixels. The mail's frame runs no script, so the
// test cannot ask it.
func awaitPicture(t *testing.T, p *browsertest.Page) {
	t.Helper()
	browsertest.Eval[any](p, `document.querySelector("iframe.html").scrollIntoView({block: "end"})`)
	for deadline := time.Now().Add(time.Minute); ; {
		seen, count := p.Screenshot(), 0
		bounds := seen.Bounds()
		for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
			for x := bounds.Min.X; x < bounds.Max.X; x++ {
				if color.RGBAModel.Convert(seen.At(x, y)) == color.Color(signal) {
					count++
				}
			}
		}
		if count >= 39*39 { // the picture's edges may lie between two pixels
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d pixels of the picture are seen", count)
		}
	}
}

// mail returns a message with HTML, the picture as cid:picture, and a file.
func mail(t *testing.T, subject, html string, file []byte) string {
	t.Helper()
	encode := base64.StdEncoding.EncodeToString
	return strings.ReplaceAll(fmt.Sprintf(`Subject: %s
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=m

--m
Content-Type: multipart/related; boundary=r

--r
Content-Type: text/html; charset=utf-8
Content-Transfer-Encoding: base64

%s
--r
Content-Type: image/png
Content-Id: <picture>
Content-Transfer-Encoding: base64
Content-Disposition: inline

%s
--r--
--m
Content-Type: application/octet-stream
Content-Transfer-Encoding: base64
Content-Disposition: attachment; filename=file.bin

%s
--m--
`, subject, encode([]byte(html)), encode(picture(t, 40)), encode(file)), "\n", "\r\n")
}

// send makes a function send a message through SES.
func send(t testing.TB, s *local.Stack, to, message string) {
	t.Helper()
	if a := post(t, s, "/do/send?to="+url.QueryEscape(to), message); a.StatusCode != http.StatusOK {
		t.Fatalf("send: got %d %s", a.StatusCode, a.body)
	}
}

// testMailIsRead shows that a mail appears without a reload, that its parts can be read and saved, and that a link in
// it is followed only after a click.
func testMailIsRead(t *testing.T, browser *browsertest.Browser) {
	s := startProcesses(t)
	s.Show(console.Shown{FirstMail: "curl -s the-first-mail"})
	p := browser.Open(t, s.URL()+"/_local")
	p.Await(`document.querySelector("#first-mail")?.innerText.includes("curl -s the-first-mail")`)

	file := bytes.Repeat([]byte{0, 255, 13, 10, 7}, 10_000)
	linked := newSite(t, http.NotFoundHandler())
	html := `<p>Hello <img src="cid:picture"><a href="` + linked.url +
		`" style="position:fixed;left:0;bottom:0;width:300px;height:100px">a link</a>`
	send(t, s, "ada@example.org,bob@example.org", mail(t, "=?utf-8?q?Gr=C3=BC=C3=9Fe?=", html, file))
	p.Await(`document.querySelector("#mails")?.innerText.includes("Grüße")`) // without a reload
	p.Await(`document.querySelector("#announcer").textContent === "New mail: Grüße"`)
	p.Click("#mails a")
	p.Await(`document.querySelector("#message h2")?.textContent === "Grüße"`)
	p.Await(`document.querySelector("#message").innerText.includes("ada@example.org, bob@example.org")`)
	awaitPicture(t, p)
	if n := linked.connections.Load(); n != 0 {
		t.Errorf("a link was followed by nobody, and yet there are %d connections", n)
	}

	folder := t.TempDir()
	p.SaveDownloads(folder)
	p.Click(`#message a[download="file.bin"]`)
	var saved []byte
	for deadline := time.Now().Add(time.Minute); !bytes.Equal(saved, file); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d bytes are saved, want the %d that were sent", len(saved), len(file))
		}
		saved, _ = os.ReadFile(filepath.Join(folder, "file.bin"))
	}

	views := map[string]string{"Text": "no plain text", "Headers": "multipart/mixed; boundary=m",
		"Source": "Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?="}
	for view, want := range views {
		p.Click(`.views a[href$="/` + strings.ToLower(view) + `"]`)
		p.Await(fmt.Sprintf(`document.querySelector("#message").innerText.includes(%q)`, want))
	}
	send(t, s, "a@example.org", "\r\nplain words\r\n")
	p.Await(`document.querySelectorAll("#mails a").length === 2`)
	p.ClickUntil("#mails li:nth-child(1) a",
		`document.querySelector("#message h2")?.textContent === "No subject" &&
		document.querySelector(".text").innerText.includes("plain words")`)
	p.Click(`.views a[href$="/html"]`)
	p.Await(`document.querySelector("#message").innerText.includes("no HTML")`)
	p.Go(s.URL() + "/_local/#/outbox/none")
	p.Await(`document.querySelector("#message").innerText.includes("no such mail")`)

	p.Click("#mails li:nth-child(2) a")
	p.Await(`document.querySelector("iframe.html")`)
	awaitPicture(t, p)
	frame := browsertest.Eval[map[string]float64](p,
		`document.querySelector("iframe.html").getBoundingClientRect().toJSON()`)
	p.ClickAt(frame["left"]+50, frame["bottom"]-50) // which opens a tab
	for deadline := time.Now().Add(time.Minute); linked.connections.Load() == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("a link that was clicked leads nowhere")
		}
	}
}

// hostile is a mail with everything that could run a script, load something or lead away. {P} is the site that it must
// not reach.
const hostile = `<!doctype html><html><head>
<meta http-equiv="refresh" content="0;url={P}/refresh"><base href="{P}/base/">
<link rel="stylesheet" href="{P}/style"><link rel="preconnect" href="{P}"><link rel="dns-prefetch" href="{P}">
<link rel="prefetch" href="{P}/prefetch"><link rel="preload" as="image" href="{P}/preload">
<link rel="icon" href="{P}/icon"><script src="{P}/script"></script>
<script>new Image().src = "{P}/inline"; parent.postMessage("x", "*"); top.location = "{P}/top"</script>
<script type="speculationrules">{"prefetch":[{"urls":["{P}/speculation"]}]}</script>
<style>@import url({P}/import); @font-face { font-family: f; src: url({P}/font) }
body { font-family: f; background: url({P}/background) }</style>
</head><body onload="new Image().src='{P}/onload'" background="{P}/body">
<p id="p">A letter</p><img src="{P}/img"><img src="/echo/img"><img src="x" onerror="fetch('{P}/onerror')">
<img srcset="{P}/srcset 1x"><picture><source srcset="{P}/source"><img></picture>
<input type="image" src="{P}/input" autofocus onfocus="fetch('{P}/onfocus')">
<iframe src="{P}/iframe"></iframe>
<iframe srcdoc="<script>fetch('{P}/srcdoc')</script><img src={P}/srcdoc-img><iframe src={P}/nested></iframe>"></iframe>
<noscript><iframe src="{P}/noscript"></iframe></noscript>
<div><template shadowrootmode="open"><iframe src="{P}/shadow"></iframe></template></div>
<object data="{P}/object"></object><embed src="{P}/embed">
<video src="{P}/video" poster="{P}/poster" autoplay></video><audio src="{P}/audio" autoplay></audio>
<svg xmlns="http://www.w3.org/2000/svg" onload="fetch('{P}/svg')"><image href="{P}/svg-image"/>
<use href="{P}/use#x"/><script>fetch('{P}/svg-script')</script></svg>
<form id="f" action="{P}/form" method="post"><input name="a" value="b">
<button id="b" style="position:fixed;left:0;top:0;width:600px;height:300px">Send</button></form>
<details open ontoggle="fetch('{P}/toggle')"><summary>x</summary></details>
<svg><style><img title="</style><img src={P}/drawn onerror=fetch('{P}/drawn')>"></style></svg>
<noscript><p title="</noscript><img src={P}/unread onerror=fetch('{P}/unread')>"></noscript>
<math><mtext><table><mglyph><style><img src={P}/formula onerror=fetch('{P}/formula')></style></mglyph></table></math>
<p style="background:\75 rl({P}/escape)">x</p><p style="background:image-set('{P}/set' 1x)">x</p>
<marquee onstart="fetch('{P}/marquee')">x</marquee>
<style>@keyframes k {} p { animation: k 1s }</style><p onanimationstart="fetch('{P}/animation')">x</p>
<a href="{P}/link" ping="{P}/ping">a link</a><a href="javascript:fetch('{P}/javascript')">x</a></body></html>`

// site is a server that counts the connections to it.
type site struct {
	url         string
	connections atomic.Int32
}

// newSite starts a site on a free port.
func newSite(t *testing.T, handler http.Handler) *site {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &site{url: "http://" + listener.Addr().String()}
	server := &http.Server{Handler: handler, ConnState: func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			p.connections.Add(1)
		}
	}}
	go server.Serve(listener)
	t.Cleanup(func() { server.Close() })
	return p
}

// testEvents shows that events of a mail appear while somebody looks at the mail.
func testEvents(t *testing.T, browser *browsertest.Browser) {
	s := startProcesses(t)
	var held []eventbridge.Event
	s.Events().Replace(func(e eventbridge.Event) []eventbridge.Event {
		held = append(held, e)
		return nil
	})
	send(t, s, "ada@example.org", mail(t, "without events", "<p>one", nil))
	sendWithEvents(t, s, "bounce@simulator.amazonses.com,"+strings.Repeat("a@example.org,", 8)+"a@example.org", "")
	s.Events().Replace(nil)
	id := s.Outbox().Mails()[0].ID
	p := browser.Open(t, s.URL()+"/_local/#/outbox/"+id+"/events")
	p.Await(`document.querySelector(".events .none")?.checkVisibility()`)
	for i, want := range []string{"sent", "sent", "bounced"} { // Send, Delivery, Bounce
		s.Events().Put(held[i])
		p.Await(fmt.Sprintf(`document.querySelectorAll(".events ol li").length === %d &&
			document.querySelector("#mails li .became").textContent === %q &&
			document.querySelector(".envelope .became").textContent === %q`, i+1, want, want))
	}
	p.Await(`!document.querySelector(".events .none").checkVisibility() &&
		document.querySelectorAll("#mails .became:not(:empty)").length === 1`)
	p.Await(`/^\S+ Send bounce@\S+, a@example.org, a@example.org and 7 more$/.
		test(document.querySelector(".events ol li").innerText.replace(/\s+/g, " "))`)
	p.Await(`/^\S+ Bounce bounce@simulator.amazonses.com smtp; 550 5.1.1 user unknown$/.
		test(document.querySelector(".events ol li:last-child").innerText.replace(/\s+/g, " "))`)
	s.Outbox().SetWebhook(held[2], "503 Service Unavailable")
	reads(t, p, ".events ol li:last-child", "user unknown Webhook: 503 Service Unavailable")
	for _, width := range []int64{1280, 390} {
		p.Resize(width, 844)
		if now := browsertest.Eval[int64](p, "document.documentElement.scrollWidth"); now > width {
			t.Errorf("the page is %d pixels wide, in a window of %d", now, width)
		}
	}
	p.Go(s.URL() + "/_local/#/outbox")
	p.Click("#filter")
	p.Press("bounced")
	p.Await(`document.querySelectorAll("#mails li").length === 1`)
}

// testHostileMail shows that the hostile mail reaches nothing: neither in the console's frame, nor in a window of its
// own, nor after a click on its form.
func testHostileMail(t *testing.T, browser *browsertest.Browser) {
	away := newSite(t, http.NotFoundHandler())
	html := strings.ReplaceAll(hostile, "{P}", away.url)

	s := startProcesses(t)
	send(t, s, "ada@example.org",
		mail(t, "hostile", html+`<img src="cid:picture" style="position:fixed;right:0;bottom:0">`, nil))
	address := s.URL() + "/_local/outbox/" + s.Outbox().Mails()[0].ID + "/html"
	before := len(s.Lambda().Invocations())
	p := browser.Open(t, s.URL()+"/_local/#/outbox/"+s.Outbox().Mails()[0].ID)
	p.Await(`document.querySelector("iframe.html")`)
	awaitPicture(t, p)
	frame := browsertest.Eval[map[string]float64](p,
		`document.querySelector("iframe.html").getBoundingClientRect().toJSON()`)
	p.ClickAt(frame["x"]+50, frame["y"]+50) // the form's button, which covers the whole mail
	// Half a second is enough for a page that would load something or navigate.
	time.Sleep(500 * time.Millisecond)
	if at := browsertest.Eval[string](p, "location.pathname"); at != "/_local/" {
		t.Errorf("the mail has led the console to %s", at)
	}
	p.Go(address) // in its own window, without the frame around it
	p.ClickAt(50, 50)
	time.Sleep(500 * time.Millisecond)
	if at := browsertest.Eval[string](p, "location.href"); at != address {
		t.Errorf("the mail has led its own window to %s", at)
	}
	if n := away.connections.Load(); n != 0 {
		t.Errorf("the mail has made %d connections", n)
	}
	if now := len(s.Lambda().Invocations()); now != before {
		t.Errorf("the mail has made %d requests of the API", now-before)
	}

	// The control: served without any restriction, the same page does reach the site.
	control := newSite(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Write([]byte(strings.Replace(html, `http-equiv="refresh"`, "", 1)))
	}))
	p.Go(control.url)
	for deadline := time.Now().Add(time.Minute); away.connections.Load() == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the hostile page is harmless")
		}
	}
}

// testKeyboard walks through the console with Tab, arrows, Enter and Escape. The focus must be visible at each step.
func testKeyboard(t *testing.T, browser *browsertest.Browser) {
	s := startProcesses(t)
	s.Show(console.Shown{Credentials: []console.Credential{{Label: "Mail key", Value: "fdm_1"}}})
	send(t, s, "a@example.org", mail(t, "first", "<p>one", nil))
	send(t, s, "b@example.org", mail(t, "second", "<p>two", nil))
	p := browser.Open(t, s.URL()+"/_local/")
	p.Await(`document.querySelectorAll("#mails a").length === 2 && !document.querySelector("#links").hidden`)
	step := func(key, want string) {
		t.Helper()
		p.Press(key)
		p.Await(fmt.Sprintf(`(document.activeElement.innerText || document.activeElement.placeholder ||
			document.activeElement.title).includes(%q)`, want))
		if !browsertest.Eval[bool](p, `document.activeElement.matches(":focus-visible")`) {
			t.Errorf("the focus on %q is not to be seen", want)
		}
	}
	for _, want := range []string{"Skip to content", "frontdesk", "Outbox", "Requests", "Credentials",
		"API docs", "Login page", "Keys", "Delete all", "Search mails", "second"} {
		step(kb.Tab, want)
	}
	step(kb.ArrowDown, "first")
	step(kb.Enter, "first") // the message's title
	p.Await(`document.activeElement.id === "message-title"`)
	request := s.Outbox().Mails()[1].RequestID
	for _, want := range []string{"Delete", request, "part-1.png", "file.bin", "HTML", "Text", "Headers", "Source"} {
		step(kb.Tab, want)
	}
	step(kb.Enter, "Source")
	p.Await(`document.querySelector(".source")?.innerText.includes("Subject: first")`)
	p.Press(kb.Escape)
	p.Await(`document.activeElement.matches("#mails a") && document.activeElement.innerText.includes("first")`)

	p.Go(s.URL() + "/_local/#/requests")
	p.Await(`document.querySelectorAll("#request-list .row").length === 2`)
	browsertest.Eval[any](p, `document.querySelector("#request-list .row").focus()`)
	p.Press(kb.Enter)
	p.Await(`document.querySelector("#request-list details[open]")?.innerText.includes("SendEmail")`)
	p.Go(s.URL() + "/_local/#/credentials")
	p.Await(`document.querySelector("#credentials .copy")`)
	browsertest.Eval[any](p, `document.querySelector("#credentials .copy").focus()`)
	p.Press(kb.Enter)
	p.Await(`document.querySelector("#credentials .copy").textContent === "Copied"`)
}

// testRequestsAndCredentials shows that requests appear as they come, that an open one stays open, and that markup in
// their data is shown as text.
func testRequestsAndCredentials(t *testing.T, browser *browsertest.Browser) {
	s := startProcesses(t)
	p := browser.Open(t, s.URL()+"/_local/#/requests")
	p.Await(`document.querySelector("#no-requests").checkVisibility()`)
	get(t, s, "/none?x=1")
	p.Await(`document.querySelector("#request-list .row")?.innerText.replace(/\s+/g, " ").
		includes("GET /none?x=1 404")`)
	post(t, s, "/do/say", "<b>words</b>")
	p.Await(`document.querySelector("#request-list .row").innerText.includes("cold")`)
	p.Click("#request-list .row")
	p.Await(`document.querySelector("#request-list details[open] .lines")?.innerText.includes("<b>words</b>")`)
	get(t, s, "/echo")
	p.Await(`document.querySelectorAll("#request-list .row").length === 3`)
	p.Await(`document.querySelector("#request-list li:nth-child(2) details").open`) // it stays so
	p.Go(s.URL() + "/_local/#/credentials")
	p.Await(`document.querySelector("#no-credentials").checkVisibility()`)
	s.Show(console.Shown{Credentials: []console.Credential{{Label: "Mail key", Value: "fdm_<1>"}}})
	p.Await(`document.querySelector("#credential-list").innerText.includes("fdm_<1>")`)
	links := browsertest.Eval[string](p, `document.querySelector("#links").innerText`)
	expect.Equal(t, links, "API docs\nLogin page")
}

// testThousandMails shows that the list and its buttons hold a thousand mails, and that the filter finds one of them.
func testThousandMails(t *testing.T, browser *browsertest.Browser) {
	s := startProcesses(t)
	// Added directly, because a thousand requests through a function would take long.
	for i := range 1000 {
		message := fmt.Appendf(nil, "Subject: mail %d.\r\n\r\nx", i)
		mail := ses.Mail{From: "a@example.com", To: []string{"b@example.com"}}
		if _, err := s.Outbox().Add(mail, message); err != nil {
			t.Fatal(err)
		}
	}
	p := browser.Open(t, s.URL()+"/_local/")
	p.Await(`document.querySelectorAll("#mails li").length === 1000 &&
		document.querySelector("#mail-count").textContent === "1,000"`)
	for _, width := range []int64{390, 1280} {
		p.Resize(width, 844)
		p.Click("#delete-all")
		p.Await(`(({ textContent, scrollWidth, clientWidth }) =>
			textContent === "Delete 1,000 mails?" && scrollWidth <= clientWidth)(
			document.querySelector("#delete-all"))`)
		p.Await(`document.querySelector("#delete-all").getBoundingClientRect().right <=
			document.querySelector("#mailbox").getBoundingClientRect().right`)
		browsertest.Eval[any](p, `document.querySelector("#delete-all").blur()`)
	}
	browsertest.Eval[any](p, `document.querySelector("#filter").focus()`)
	p.Press("mail 517.")
	p.Await(`document.querySelectorAll("#mails li").length === 1`)
	p.Press(" none")
	p.Await(`document.querySelector("#no-match").checkVisibility()`)
}

// testPhone shows that no screen is wider than a phone, even with a long word in it.
func testPhone(t *testing.T, browser *browsertest.Browser) {
	s := startProcesses(t)
	send(t, s, "a@example.org", mail(t, "a subject that is "+strings.Repeat("very", 40)+" long", "<p>one", nil))
	p := browser.Open(t, "about:blank")
	p.Resize(390, 844)
	for _, page := range []string{"outbox", "requests", "credentials",
		"outbox/" + s.Outbox().Mails()[0].ID + "/headers"} {
		p.Go("about:blank")
		p.Go(s.URL() + "/_local/#/" + page)
		p.Await(`document.querySelector("#state").textContent === "Live"`)
		if width := browsertest.Eval[int](p, "document.documentElement.scrollWidth"); width > 390 {
			t.Errorf("%s is %d pixels wide", page, width)
		}
	}
	p.Await(`document.querySelector(".headers")?.checkVisibility() &&
		!document.querySelector("#mailbox").checkVisibility()`)
	p.Click(".back")
	p.Await(`document.querySelector("#mailbox").checkVisibility()`)
}

// testFailedBuild shows that the compiler's output is shown as text, and goes away once everything builds.
func testFailedBuild(t *testing.T, browser *browsertest.Browser) {
	s := startProcesses(t)
	p := browser.Open(t, s.URL()+"/_local/")
	p.Await(`document.querySelector("#state").textContent === "Live"`)
	s.FailBuild("echo.go:7: undefined: <b>x</b>")
	p.Await(`document.querySelector("#notices").innerText.includes("Not everything can be built.")`)
	p.Await(`document.querySelector("#notices pre").textContent === "echo.go:7: undefined: <b>x</b>"`)
	s.FailBuild("")
	p.Await(`document.querySelector("#notices").innerText === ""`)
}

// testConnectionLost shows that what was loaded stays readable when the stack ends, and that the console reconnects
// by itself.
func testConnectionLost(t *testing.T, browser *browsertest.Browser) {
	s := startProcesses(t)
	send(t, s, "a@example.org", "Subject: kept\r\n\r\nx")
	p := browser.Open(t, s.URL()+"/_local/")
	p.Await(`document.querySelector("#mails").innerText.includes("kept")`)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	p.Await(`document.querySelector("#notices").innerText.includes("Connection lost") &&
		document.querySelector("#state").textContent === "Offline"`)
	p.Await(`document.querySelector("#mails").innerText.includes("kept")`)
	startProcesses(t, func(o *local.Options) { o.Addr = strings.TrimPrefix(s.URL(), "http://") })
	p.Await(`document.querySelector("#notices").innerText === "" &&
		document.querySelector("#state").textContent === "Live"`)
	p.Await(`document.querySelector("#first-mail").checkVisibility()`) // the outbox was in memory
}
