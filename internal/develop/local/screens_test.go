package local_test

import (
	"fmt"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/develop/local"
	"frontdesk/internal/develop/local/console"
	"frontdesk/internal/prove/browsertest"
	"frontdesk/internal/prove/expect"

	"github.com/chromedp/chromedp/kb"
)

// testMail is the request behind the console's button for a test mail.
var testMail = console.Call{Method: "POST", Path: "/do/send?to=test@example.org", Body: "Subject: A test\r\n\r\nx"}

// sendAs makes a function send a message, with the parameters of testdata/function in the query.
func sendAs(t testing.TB, s *local.Stack, query, message string) {
	t.Helper()
	if a := post(t, s, "/do/send?"+query, message); a.StatusCode != http.StatusOK {
		t.Fatalf("send: got %d %s", a.StatusCode, a.body)
	}
}

// reads waits until an element contains this text. White space counts as one space.
func reads(t *testing.T, p *browsertest.Page, selector, text string) {
	t.Helper()
	p.Await(fmt.Sprintf(`document.querySelector(%q)?.innerText.replace(/\s+/g, " ").includes(%q)`, selector, text))
}

// inView is a script that reports whether an element is visible in the window.
const inView = `(() => { const row = document.querySelector(%q)?.getBoundingClientRect();
	return row && row.height > 0 && row.top > -1 && row.bottom <= innerHeight + 1 })()`

// testOutboxTools goes through groups, search, right-to-left text, deep links and the deletion of all mails.
func testOutboxTools(t *testing.T, browser *browsertest.Browser) {
	s := startProcesses(t)
	s.Show(console.Shown{FirstMail: "curl", TestMail: &testMail})
	p := browser.Open(t, s.URL()+"/_local/")
	p.Click("#first-mail button.main")
	reads(t, p, "#message h2", "A test") // the mail is opened when it has come

	// More mails than the window shows, so that a deep link has to scroll.
	for i := range 40 {
		sendAs(t, s, "to=a@example.org", fmt.Sprintf("Subject: older %d\r\n\r\nx", i))
	}
	sendAs(t, s, "to=ada@example.org&cc=bob@example.org,cy@example.org&bcc=eve@example.org&do=news&set=events",
		"Subject: =?utf-8?q?=D7=A9=D7=9C=D7=95=D7=9D?= to all\r\n\r\n\u05e9\u05dc\u05d5\u05dd, a needle\r\n")
	sendAs(t, s, "n=3&to=a@example.org,b@example.org", "Subject: in groups\r\n\r\nx")
	p.Await(`document.querySelector("#mails .group")`)
	reads(t, p, "#mails .group button", "in groups 3 mails to 6 recipients")
	p.Click("#mails .group button")
	p.Await(`document.querySelectorAll("#mails .group a").length === 3`)
	p.Click("#mails .group button")
	p.Await(`document.querySelectorAll("#mails .group a").length === 0`)

	p.Click("#filter")
	p.Press("needle") // only the body has it
	p.Await(`document.querySelectorAll("#mails a").length === 1`)
	p.Press(kb.Enter)
	p.Click("#mails a")
	for _, want := range []string{"To ada@example.org Cc bob@example.org, cy@example.org Bcc eve@example.org",
		"Tags do: news", "Request " + s.Outbox().Mails()[3].RequestID} {
		reads(t, p, ".envelope", want)
	}
	p.Await(`["#message-title", ".text pre", "#mails .subject"].every((selector) =>
		getComputedStyle(document.querySelector(selector)).direction === "rtl")`)
	p.Click(`.views a[href$="/events"]`)
	reads(t, p, ".outcomes", "eve@example.org delivered")
	p.PressKey("/")
	p.Await(`document.activeElement.id === "filter"`)
	p.Press("none")
	p.Await(`document.querySelector("#no-match").checkVisibility() && document.querySelector("#no-match").
		getBoundingClientRect().top - document.querySelector("#filter").getBoundingClientRect().bottom < 40`)

	for search, want := range map[string]string{
		"to:eve@": "to all", `subject:"in groups"`: "in groups", "tag:do:news is:delivered": "to all",
		"groups -needle after:2020-01-01": "in groups", "-subject:older -groups -test": "to all",
	} {
		browsertest.Eval[any](p, `(document.querySelector("#filter").select(), null)`)
		p.Press(search)
		p.Await(fmt.Sprintf(`document.querySelector("#mails .subject")?.innerText.includes(%q) &&
			document.querySelectorAll("#mails > li").length === 1`, want))
	}
	browsertest.Eval[any](p, `(document.querySelector("#filter").select(), null)`)
	p.Press("form:bar")
	reads(t, p, "#no-match", "there is no search by form:")

	// A deep link scrolls to the row of its mail.
	mails := s.Outbox().Mails()
	first := mails[len(mails)-1]
	p.Go("about:blank")
	p.Go(s.URL() + "/_local/#/outbox/" + first.ID)
	p.Await(fmt.Sprintf(inView, "#mails [aria-current]"))

	testOutboxByKeyboard(t, p, s)

	p.Resize(1280, 800)
	p.Go(s.URL() + "/_local/#/outbox")
	p.Click("#delete-all")
	reads(t, p, "#delete-all", fmt.Sprintf("Delete %d mails?", len(s.Outbox().Mails())))
	p.Click("#delete-all")
	p.Await(`document.querySelector("#first-mail").checkVisibility()`)
	if n := len(s.Outbox().Mails()); n != 0 {
		t.Errorf("%d mails are left", n)
	}
}

// testOutboxByKeyboard goes to the next mail and back, changes the preview's width, and deletes a mail, all without
// a pointer.
func testOutboxByKeyboard(t *testing.T, p *browsertest.Page, s *local.Stack) {
	focused := func(want string) {
		t.Helper()
		p.Await(fmt.Sprintf(`document.activeElement.textContent.includes(%q) &&
			document.activeElement.matches(":focus-visible, h2")`, want))
	}
	for _, width := range []int64{1280, 390} {
		p.Resize(width, 800)
		send(t, s, "a@example.org", mail(t, "below", "<p>below", nil))
		send(t, s, "a@example.org", mail(t, "above", "<p>above", nil))
		p.Go(s.URL() + "/_local/#/outbox")
		p.Await(`(document.activeElement.blur(),
			document.querySelector("#mails .subject")?.textContent === "above")`)
		p.Press("j")
		focused("above")
		p.Press("j")
		focused("below")
		p.Press("k" + kb.Enter)
		reads(t, p, "#message h2", "above")
		p.Press("j")
		reads(t, p, "#message h2", "below")
		p.Press("k")
		reads(t, p, "#message h2", "above")
		until := func(want string) {
			t.Helper()
			for range 20 {
				if browsertest.Eval[string](p, "document.activeElement.textContent") == want {
					return
				}
				p.Press(kb.Tab)
			}
			t.Fatalf("Tab does not lead to %s", want)
		}
		for label, pixels := range map[string]int64{"Tablet": 768, "Phone": 390} {
			p.Await(`(document.querySelector("#message-title").focus(), true)`)
			until(label)
			p.Press(kb.Enter)
			p.Await(fmt.Sprintf(`document.querySelector("iframe.html").clientWidth === %d &&
				document.activeElement.ariaPressed === "true"`, min(pixels, width)))
		}
		p.Await(`(document.querySelector("#message-title").focus(), true)`)
		until("Delete")
		p.Press(kb.Enter)
		focused("Delete it?")
		p.Press(kb.Enter)
		reads(t, p, "#message h2", "below") // which takes its place
		if got := s.Outbox().Mails()[0].Subject; got != "below" {
			t.Errorf("the newest mail is %q", got)
		}
	}
}

// testRemotePictures shows that remote pictures are fetched only on demand, without cookies and referrer, and that
// nothing else of the mail is fetched even then.
func testRemotePictures(t *testing.T, browser *browsertest.Browser) {
	var mu sync.Mutex
	fetched, shown := map[string]http.Header{}, picture(t, 40)
	away := newSite(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		fetched[r.URL.Path] = r.Header
		if w.Header().Set("Content-Type", "image/png"); r.URL.Path == "/shown.png" {
			w.Write(shown)
		}
	}))
	s := startProcesses(t)
	html := strings.ReplaceAll(hostile, "{P}", away.url) +
		`<img src="` + away.url + `/shown.png" style="position:fixed;right:0;bottom:0;width:40px">`
	send(t, s, "ada@example.org", mail(t, "hostile", html, nil))
	p := browser.Open(t, s.URL()+"/_local/#/outbox/"+s.Outbox().Mails()[0].ID)
	reads(t, p, ".preview", "Remote pictures")
	if n := away.connections.Load(); n != 0 {
		t.Errorf("unasked, the mail has made %d connections", n)
	}
	p.Click(".preview > button")
	awaitPicture(t, p)
	frame := browsertest.Eval[map[string]float64](p,
		`document.querySelector("iframe.html").getBoundingClientRect().toJSON()`)
	p.ClickAt(frame["x"]+50, frame["y"]+50)
	time.Sleep(500 * time.Millisecond) // time for whatever else the mail may try
	mu.Lock()
	defer mu.Unlock()
	for _, header := range fetched {
		expect.Equal(t, header.Get("Sec-Fetch-Dest"), "image")
		expect.Equal(t, header.Get("Referer"), "")
		expect.Equal(t, header.Get("Cookie"), "")
	}
	expect.Not(t, fetched["/shown.png"], nil)
	expect.Not(t, fetched["/img"], nil)
	if at := browsertest.Eval[string](p, "location.pathname"); at != "/_local/" {
		t.Errorf("the mail has led the console to %s", at)
	}
	p.Click(".preview > button")
	p.Await(`!document.querySelector("iframe.html").src.includes("remote")`)
}

// testRequestTools goes through filters, the copied curl command and "Send again".
func testRequestTools(t *testing.T, browser *browsertest.Browser) {
	s := startProcesses(t)
	const key = "fdm_1_0123456789abcdef"
	post(t, s, "/do/say", `{"key":"`+key+`","html":"it's <b>words</b> to find"}`)
	post(t, s, "/do/say", `{"password":"correct horse"}`)
	get(t, s, "/none")
	sendAs(t, s, "to=a@example.org&answer="+url.QueryEscape(`{"status":"error","error":"nobody takes it"}`),
		"Subject: refused\r\n\r\nx")
	p := browser.Open(t, s.URL()+"/_local/#/requests")
	count := func(n int) {
		t.Helper()
		p.Await(fmt.Sprintf(`document.querySelectorAll("#request-list .row").length === %d`, n))
	}

	// A refused mail is red, gives the reason, and links to its mail, which links back.
	count(4)
	reads(t, p, "#request-list .row", "200 EchoFunction")
	reads(t, p, "#request-list .row .reason", "nobody takes it")
	p.Await(`[".status", ".reason"].every((part) => getComputedStyle(document.querySelector(".row " + part)).color ===
		getComputedStyle(document.body.appendChild(Object.assign(document.createElement("p"),
		{className: "problem"}))).color)`)
	p.Click("#request-list .row")
	reads(t, p, ".detail .problem", "nobody takes it")
	p.Click(".detail .sent a")
	reads(t, p, "#message h2", "refused")
	p.Click(`.envelope a[href^="#/requests/"]`)
	p.Await(`document.activeElement.matches("#request-list li:first-child .row") && ` +
		fmt.Sprintf(inView, "#request-list [open] .row"))

	// A request is found by its status, its function, and its content.
	choose := func(id, value string) {
		browsertest.Eval[any](p, fmt.Sprintf(`((select) => { select.value = %q;
			select.dispatchEvent(new Event("change")) })(document.querySelector(%q))`, value, id))
	}
	// "refused" counts answers with status 200 that say that they are errors.
	for value, n := range map[string]int{"refused": 1, "2": 3, "4": 1, "5": 0, "": 4} {
		choose("#request-status", value)
		count(n)
		p.Await(fmt.Sprintf(`document.querySelector("#no-request-matches").checkVisibility() === %v`, n == 0))
	}
	choose("#request-status", "")
	choose("#request-function", "EchoFunction")
	count(3)
	choose("#request-function", "")
	p.PressKey("/")
	p.Await(`document.activeElement.id === "request-search"`)
	p.Press("words find")
	count(1)

	// The request is shown with its key, and repeated with it.
	p.Click("#request-list .row")
	reads(t, p, ".detail", `"key": "`+key+`"`)
	browsertest.Eval[any](p, `(navigator.clipboard.writeText = async (text) => { window.copied = text }, null)`)
	p.Click(".detail .copy")
	p.Await("window.copied")
	repeated := func(how string) {
		t.Helper()
		deadline := time.Now().Add(10 * time.Second)
		id := s.Requests()[0].ID
		for ; ; time.Sleep(time.Millisecond) {
			lines := page[remembered](t, s, "/_local/requests/"+id).Lines
			if strings.Contains(fmt.Sprint(lines), `{"key":"`+key+`","html":"it's <b>words</b> to find"}`) {
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("%s: the function got %q", how, lines)
			}
		}
	}
	command := browsertest.Eval[string](p, "window.copied")
	if output, err := exec.Command("sh", "-c", command).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v %s", command, err, output)
	}
	repeated(command)
	count(2)
	p.Click("#request-list [open] .actions button:not(.copy)")
	count(5 + 1) // all of them: the search would have hidden the new one
	repeated("sent again")
	p.Await(`document.activeElement.matches("#request-list li:first-child details[open] .row")`)

	p.Go("about:blank")
	p.Go(s.URL() + "/_local/#/requests/none")
	reads(t, p, "#requests-problem", "no such request any more")
	p.Await(`(document.activeElement.blur(), document.querySelectorAll("#request-list .row").length === 6)`)
	p.Press("jjk" + kb.Enter)
	p.Await(`document.querySelector("#request-list li:first-child details").open`)
}

// overlapping is a script that returns the labels whose text is wider than the label's place.
const overlapping = `[...document.querySelectorAll("dt")].filter((dt) => {
	const text = document.createRange();
	text.selectNodeContents(dt);
	return text.getBoundingClientRect().right > dt.getBoundingClientRect().right + 1;
}).map((dt) => dt.textContent)`

// testScreens checks every screen at two widths, in light and dark colours: nothing may be wider than the window, no
// label reach into its value, and axe find no barrier.
func testScreens(t *testing.T, browser *browsertest.Browser) {
	axe := browsertest.NewAxe(t, filepath.Join("..", "..", ".."))
	s := startProcesses(t)
	p := browser.Open(t, s.URL()+"/_local/")
	s.Show(console.Shown{
		FirstMail: "curl -s it", Scan: "curl -s 'the table'", TestMail: &testMail, Credentials: []console.Credential{
			{Label: "Mail key", Value: "fdm_7_" + strings.Repeat("0123456789abcdef", 4)},
		},
	})
	p.Await(`document.querySelector("#first-mail button")`)
	axe.Check(p, "an outbox without mails")

	sendAs(t, s, "to=bounce@simulator.amazonses.com,a@example.org&cc=b@example.org&set=events&do=news&answer="+
		url.QueryEscape(`{"status":"error","error":"`+strings.Repeat("refused ", 30)+
			`","warnings":["`+strings.Repeat("wide", 40)+`","two"]}`),
		mail(t, "a subject that is "+strings.Repeat("very", 20)+" long", `<p>one<img src=https://example.org/x>`, nil))
	sendAs(t, s, "n=2&to=a@example.org", "Subject: twice\r\n\r\nplain words\r\n")
	get(t, s, "/none?x="+strings.Repeat("long", 50))
	post(t, s, "/do/error", `{"key":"x"}`)
	for deadline := time.Now().Add(10 * time.Second); s.Outbox().Mails()[2].Status != "bounced"; {
		if time.Sleep(time.Millisecond); time.Now().After(deadline) {
			t.Fatal("no events of the mail")
		}
	}
	mail := "outbox/" + s.Outbox().Mails()[2].ID
	refused := s.Requests()[3].ID
	// Everything in it is as long as it can be: the subject, the names of its fields, the list of what is said of it.
	sendAs(t, s, "to=a@example.org&set=events&do=news", "Subject: "+strings.Repeat("subject ", 120)+
		"\r\nList-Unsubscribe: <"+s.URL()+"/unsubscribe>\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click"+
		"\r\nX-"+strings.Repeat("Field", 12)+": value\r\nContent-Type: text/calendar; method=REQUEST\r\n\r\nx\r\n")
	long := "outbox/" + s.Outbox().Mails()[0].ID
	screens := []struct{ address, ready string }{
		{"outbox", `document.querySelectorAll("#mails > li").length === 3`},
		{mail + "/html", `document.querySelector(".stage iframe")`},
		{mail + "/text", `document.querySelector("#message .none")`},
		{mail + "/headers", `document.querySelector(".headers dt")`},
		{mail + "/source", `document.querySelector(".source pre")`},
		{mail + "/events", `document.querySelector(".outcomes .bounced")`},
		{long + "/text", `document.querySelector(".unsubscribe button")`},
		{long + "/headers", `document.querySelector(".headers dt")`},
		{"outbox/none", `document.querySelector("#message .problem")`},
		{"requests", `document.querySelectorAll("#request-list .row").length === 5`},
		{"requests/" + refused, `document.querySelector("[open] .sent a")`},
		{"requests/" + s.Requests()[0].ID, `document.querySelectorAll("[open] .actions").length === 2`},
		{"credentials", `document.querySelectorAll("#examples .copy").length === 2`},
	}
	for _, width := range []int64{1280, 390} {
		p.Resize(width, 844)
		for _, screen := range screens {
			p.Go(s.URL() + "/_local/#/" + screen.address)
			p.Await(screen.ready)
			if now := browsertest.Eval[int64](p, "document.documentElement.scrollWidth"); now > width {
				t.Errorf("%s is %d pixels wide, in a window of %d", screen.address, now, width)
			}
			if cut := browsertest.Eval[[]string](p, overlapping); len(cut) > 0 {
				t.Errorf("%s, %d pixels wide: these labels reach into their values: %q", screen.address, width, cut)
			}
			p.Dark(false)
			axe.Check(p, fmt.Sprintf("%s, %d pixels wide", screen.address, width))
			p.Dark(true) // which changes only colours
			axe.CheckColors(p, fmt.Sprintf("%s, %d pixels wide, dark", screen.address, width))
		}
		p.Click("#show-keys")
		axe.CheckColors(p, fmt.Sprintf("the keys, %d pixels wide, dark", width))
		p.Dark(false)
		axe.Check(p, fmt.Sprintf("the keys, %d pixels wide", width))
		p.Click("#keys form button")
	}
}
