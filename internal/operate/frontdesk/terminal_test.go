package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"frontdesk/internal/base/table"
	"frontdesk/internal/develop/local/ses"
	"frontdesk/internal/operate/frontdesk/commandline"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/user"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
)

// Text that others may have written. Printed unchanged, it would change the terminal's title, clear it, and show a
// row that does not exist. The last characters change the direction of text, or end a line.
const (
	mark          = "mark" // spoil makes it hostile
	hostile       = mark + "\x1b]0;title\a\x1b[2J\r\nforged\trow" + hostileInJSON
	hostileInJSON = "\x7f" + hostileInPath // may stand in a JSON string without an escape
	hostileInPath = "\u0085\u009b2J\u061c\u200e\u202e\u2028\u2029\u2066"
)

// spoil makes every text of the table hostile that contains the mark, also in keys: earlier versions of the API
// accepted such texts.
func spoil(o *shell) {
	o.Helper()
	for _, item := range o.Items(o.TB) {
		spoilt := dynamo.Item(spoiltMap(item))
		before, after := fixture.KeyOf(o.TB, item), fixture.KeyOf(o.TB, spoilt)
		if err := o.Table.Put(spoilt).Run(o.Context()); err != nil {
			o.Fatal(err)
		}
		if before == after {
			continue
		}
		if _, err := o.Table.DeleteAll(o.Context(), before); err != nil {
			o.Fatal(err)
		}
	}
}

// spoiltMap returns a copy with hostile texts.
func spoiltMap(m map[string]types.AttributeValue) map[string]types.AttributeValue {
	m = maps.Clone(m)
	for name, value := range m {
		m[name] = spoiltValue(value)
	}
	return m
}

// spoiltValue looks into sets, lists and maps. Numbers, binary values and the rest stay as they are.
func spoiltValue(value types.AttributeValue) types.AttributeValue {
	switch v := value.(type) {
	case *types.AttributeValueMemberS:
		return &types.AttributeValueMemberS{Value: spoiltText(v.Value)}
	case *types.AttributeValueMemberSS:
		texts := slices.Clone(v.Value)
		for i, text := range texts {
			texts[i] = spoiltText(text)
		}
		return &types.AttributeValueMemberSS{Value: texts}
	case *types.AttributeValueMemberL:
		values := slices.Clone(v.Value)
		for i, value := range values {
			values[i] = spoiltValue(value)
		}
		return &types.AttributeValueMemberL{Value: values}
	case *types.AttributeValueMemberM:
		return &types.AttributeValueMemberM{Value: spoiltMap(v.Value)}
	}
	return value
}

// spoiltText keeps JSON valid: within it, only the characters that need no escape there are hostile.
func spoiltText(text string) string {
	if json.Valid([]byte(text)) {
		return strings.ReplaceAll(text, mark, mark+hostileInJSON)
	}
	return strings.ReplaceAll(text, mark, hostile)
}

// harmful returns the first character, or byte, of an output that a terminal obeys; "" for none.
func harmful(output string) string {
	for i, r := range output {
		if _, size := utf8.DecodeRuneInString(output[i:]); r == utf8.RuneError && size == 1 {
			return fmt.Sprintf("%q", output[i])
		}
		if r != '\n' && unicode.In(r, unicode.Cc, unicode.Bidi_Control, unicode.Zl, unicode.Zp) {
			return fmt.Sprintf("%U", r)
		}
	}
	return ""
}

// hostileIDs has the ids of what others wrote.
type hostileIDs struct{ key, app, user, mail string }

// writeHostile writes one thing of each kind, with hostile texts wherever texts are allowed. It writes the mark,
// which today's API accepts, and then makes the texts hostile in the table itself.
func writeHostile(o *shell) (w hostileIDs) {
	o.Helper()
	key := printed[createdKey](o, "mail-key", "create", "--name", mark, "--sender", "a@example.com",
		"--from", mark+".com", "--from", "example.com")
	app := printed[createdApp](o, "platform-app", "create", "--name", mark, "--login-url", "https://a.example/"+mark)
	portal := []string{"--account", "1", "--slug", mark}
	printed[portalView](o, slices.Concat([]string{"portal", "create", "--name", mark, "--locales", "en"}, portal)...)
	users := &user.Service{Table: o.Table, HashParams: fixture.CheapHash}
	for _, email := range []string{mark + "@example.org", "ada@example.org"} {
		u, err := users.Create(o.Context(), app.ID, user.Details{
			Name:             mark,
			Email:            email,
			Password:         fixture.Password,
			CustomAttributes: json.RawMessage(`{"x": "` + mark + `"}`),
		})
		if err != nil {
			o.Fatal(err)
		}
		w.user = u.ID.String()
		printed[struct{}](o, slices.Concat([]string{"portal", "add-member", w.user}, portal)...)
	}
	mail := o.prints("mail", "send", "--to", "bounce@simulator.amazonses.com", "--subject", mark, "--text", "x")
	o.prints("unsubscribes", "add", key.ID.String(), mark+"@example.org")
	if err := o.Lambda().Settle(o.Context()); err != nil {
		o.Fatal(err)
	}
	junk := struct{ table.Key }{table.Key{PK: mark, SK: mark}}
	if err := o.Table.Put(junk).Run(o.Context()); err != nil {
		o.Fatal(err)
	}
	spoil(o)
	w.key, w.app, w.mail = key.ID.String(), app.ID.String(), strings.TrimSpace(mail)
	return w
}

// TestTerminalsObeyNobodyElse: every command escapes control characters in names, addresses, subjects, paths and
// keys, and one row stays one row. In JSON the text is unchanged. A new command fails here until it is listed. One
// that is silent must not print the mark, and any other one must, or else the test would prove nothing about it.
func TestTerminalsObeyNobodyElse(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		o := onStack(t).withKey()
		o.lookupTXT = records{"_dmarc.example.com": {"v=DMARC1; " + hostile}}.lookup
		w := writeHostile(o)
		o.request("/openapi.json?x=" + mark + hostileInPath)
		logged := printed[struct{ Query string }](o, "logs", "--last", "1")
		if logged.Query != "x="+mark+hostileInPath {
			t.Errorf("as JSON the request has the query %q", logged.Query)
		}
		listed := printed[[]user.User](o, "user", "list")
		expect.Len(t, listed, 2, `printed[[]user.User](o, "user", "list")`)
		expect.Equal(t, listed[0].Name, hostile)

		portal := []string{"--account", "1", "--slug", hostile}
		file := write(t, `{"recipients": [{"email": "a@example.org"}], "text": "x", "`+mark+hostileInJSON+`": 1}`)
		refused := write(t, `{"recipients": [{"email": "`+mark+hostileInJSON+`"}], "text": "x"}`)
		foreign := write(t, `{"frontdesk_transfer": 1}`+"\n"+`{"kind": "`+mark+hostileInJSON+`"}`+"\n")
		key, err := json.Marshal(hostile)
		if err != nil {
			t.Fatal(err)
		}
		o.Account().Queues.Send(o.lostEvents(), fmt.Sprintf(`{"id": %s, "detail": 1}`, key), nil) // no event

		empty := o.Table.WithName(o.Table.Name() + "-empty")
		if _, err := empty.Create(t.Context()); err != nil {
			t.Fatal(err)
		}
		const suppressed = mark + "@example.org"
		for _, address := range []string{suppressed, hostile + "@example.org"} {
			if err := o.Account().SES.Suppressed.Put(ses.Suppressed{Address: address, Reason: "BOUNCE"}); err != nil {
				t.Fatal(err)
			}
		}

		tested := map[string]bool{"local": true} // see TestLocalPrintsNoControlCharacters
		for _, c := range []struct {
			command string
			args    []string
			silent  bool   // prints nothing that others wrote
			on      *shell // nil: a shell on the local stack
		}{
			{command: "logs"},
			{command: "status", silent: true},
			{command: "open", silent: true},
			{command: "help", args: []string{hostile}},
			{command: "completion", args: []string{"bash"}, silent: true},
			{command: "doctor", on: o.deployed()},
			{command: "events redrive"},
			{command: "suppression list"},
			{command: "suppression show", args: []string{suppressed}},
			{command: "suppression remove", args: []string{suppressed, "--yes"}},
			{command: "export", args: []string{"--all"}},
			{command: "import", args: []string{foreign}},
			{command: "check"},
			{command: "check", args: []string{"--repair", "--yes"}},
			{command: "table create", silent: true},
			{command: "table list-access", args: []string{filepath.Join(t.TempDir(), hostile)}},
			{command: "table reopen", args: []string{"--from", empty.Name(), "--imported", "--dry-run"}},
			{command: "mail send", args: []string{file}},
			{command: "mail send", args: []string{refused}},
			{command: "mail list"},
			{command: "mail show", args: []string{w.mail}},
			{command: "mail show", args: []string{hostile}, silent: true},
			{command: "mail-key create", args: []string{"--name", mark, "--from", "example.com"}},
			{command: "mail-key create", args: []string{
				"--name", mark, "--from", "example.com", "--redirect", hostile,
			}},
			{command: "mail-key list"},
			{command: "mail-key quota", args: []string{w.key}},
			{command: "unsubscribes list", args: []string{w.key}},
			{command: "unsubscribes export", args: []string{w.key}},
			{command: "unsubscribes add", args: []string{w.key, hostile}},
			{command: "unsubscribes remove", args: []string{w.key, hostile, "--yes"}},
			{command: "unsubscribes import", args: []string{hostile}},
			{command: "mail-key revoke", args: []string{w.key, "--yes"}},
			{command: "mail-key revoke", args: []string{hostile, "--yes"}},
			{command: "platform-app create", args: []string{"--name", mark}},
			{command: "platform-app update", args: []string{w.app, "--login-url", "https://a.example/"}},
			{command: "platform-app list"},
			{command: "platform-app rotate", args: []string{w.app, "--yes"}},
			{command: "platform-app grant", args: []string{w.app, "--account", "1"}, silent: true},
			{command: "platform-app revoke-grant", args: []string{w.app, "--account", "1", "--yes"}, silent: true},
			{command: "platform-app revoke", args: []string{w.app, "--yes"}},
			{command: "portal create", args: more(portal[:3], "new", "--name", mark, "--locales", "en")},
			{command: "portal update", args: more(portal, "--public")},
			{command: "portal list"},
			{command: "portal members", args: portal},
			{command: "portal add-member", args: more(portal, w.user)},
			{command: "portal remove-member", args: more(portal, w.user, "--yes")},
			{command: "portal delete", args: more(portal, "--yes")},
			{command: "person show", args: []string{"ada@example.org"}},
			{command: "version", silent: true},
			{command: "user create", args: []string{"--app", hostile, "--name", mark, "--email", "b@example.org"}},
			{command: "user list"},
			{command: "user show", args: []string{"--email", "ada@example.org"}},
			{command: "user set-email", args: []string{w.user, "--email", "king@example.org"}},
			{command: "user set-password", args: []string{w.user, "--generate"}, silent: true},
			{command: "user token", args: []string{w.user}, silent: true},
			{command: "user revoke-tokens", args: []string{w.user, "--yes"}, silent: true},
			{command: "user delete", args: []string{w.user, "--yes"}},
			{command: "person forget", args: []string{"ada@example.org", "--yes"}, silent: true},
		} {
			tested[c.command] = true
			shown := false
			for _, mode := range [][]string{{"--json"}, nil} { // a deletion fails the second time
				args := slices.Concat(mode, strings.Fields(c.command), c.args)
				said, failed := cmp.Or(c.on, o).terminal(args...)
				if found := harmful(said + strings.ReplaceAll(failed, "\t", " ")); found != "" {
					t.Errorf("%q prints %s:\n%s", args, found, said+failed)
				}
				said += failed
				if strings.Contains(said, "\nforged") {
					t.Errorf("%q prints a forged row:\n%s", args, said)
				}
				shown = shown || strings.Contains(said, mark)
			}
			if shown == c.silent {
				t.Errorf("%s prints what others wrote: %v", c.command, shown)
			}
		}
		for _, command := range wholeGrammar().Model.Leaves(true) {
			if !tested[command.Path()] {
				t.Errorf("%s is not tested", command.Path())
			}
		}
	})
}

// terminal returns what a command line writes to a terminal, on both streams, and the reason of its failure, which
// may contain tabs.
func (o *shell) terminal(args ...string) (said, failed string) {
	var streams, reason bytes.Buffer
	s := o.session
	s.Out, s.Err = &streams, &streams
	if err := s.run(o.Context(), append([]string{"--local=" + o.file}, args...)); err != nil {
		commandline.PrintError(&reason, "frontdesk", err)
	}
	return streams.String(), reason.String()
}

// request sends a request with an unescaped path, which no HTTP client would send.
func (o *shell) request(path string) {
	o.Helper()
	host := strings.TrimPrefix(o.URL(), "http://")
	connection, err := o.Network().Dial(o.Context(), "tcp", host)
	if err != nil {
		o.Fatal(err)
	}
	defer connection.Close()
	fmt.Fprintf(connection, "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", path, host)
	if answer, err := io.ReadAll(connection); err != nil || !bytes.HasPrefix(answer, []byte("HTTP/1.1 200 ")) {
		o.Fatalf("%s: %.100s, %v", path, answer, err)
	}
}

// TestLocalPrintsNoControlCharacters that a folder's name contains.
func TestLocalPrintsNoControlCharacters(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a\x1b]0;title\a\nforged\u009b\u202e")
	welcome := runLocal(t, "--port", "0", "--dir", dir, "--no-watch")
	found := harmful(welcome)
	expect.Equal(t, found, "", "harmful(welcome)")
	expect.Lacks(t, welcome, "\nforged")
}
