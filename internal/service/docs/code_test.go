package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
)

// TestTheContractListsEveryCode compares the contract's codes with the constants of type api.Code and api.ErrorKind.
// Those of mails have a list of their own.
func TestTheContractListsEveryCode(t *testing.T) {
	want := map[string]map[string]bool{"MailErrorCode": {}, "ErrorCode": {}}
	for folder, codes := range constants(t) {
		for _, code := range codes {
			mail, others := strings.HasPrefix(folder, "mail"), !strings.HasPrefix(folder, "mail")
			if folder == "api" { // both lists have the kinds, except these; each rejected mail has a finer code
				mail = code != "forbidden" && code != "not_found" && code != "rejected"
				others = code != "quota_exceeded" && code != "rejected"
			}
			want["MailErrorCode"][code] = want["MailErrorCode"][code] || mail
			want["ErrorCode"][code] = want["ErrorCode"][code] || others
		}
	}
	for name, codes := range want {
		maps.DeleteFunc(codes, func(_ string, is bool) bool { return !is })
		var listed []string
		for _, code := range contract(t).Components.Schemas[name].Value.Enum {
			listed = append(listed, code.(string))
		}
		slices.Sort(listed)
		exist := slices.Sorted(maps.Keys(codes))
		expect.AtLeast(t, len(exist), 1, name)
		expect.Equal(t, listed, exist, name)
		description := contract(t).Components.Schemas[name].Value.Description
		for _, code := range listed {
			if !strings.Contains(description, "\n- `"+code+"`: ") {
				t.Errorf("%s does not say what %s is", name, code)
			}
		}
	}
}

// constants returns the codes that the packages define, by their folder in a room.
func constants(t *testing.T) map[string][]string {
	t.Helper()
	codes := map[string][]string{}
	internal := os.DirFS("../..")
	err := fs.WalkDir(internal, ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := fs.ReadFile(internal, path)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, source, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		folder := strings.Split(path, "/")[1]
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || spec.Type == nil {
				return true
			}
			of := string(source[spec.Type.Pos()-1 : spec.Type.End()-1])
			if of != "api.Code" && (folder != "api" || of != "ErrorKind" && of != "Code") {
				return true
			}
			for _, value := range spec.Values {
				if literal, ok := value.(*ast.BasicLit); ok {
					code, _ := strconv.Unquote(literal.Value)
					codes[folder] = append(codes[folder], code)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return codes
}

// TestJSONEndsALine: every JSON answer ends with a line feed, so that the prompt of a terminal begins on a new line.
// This includes errors, repeated answers, and what the local stack adds.
func TestJSONEndsALine(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		stack := fixture.Start(t)
		tenant := stack.NewTenant(t)
		stack.Publish(t, tenant.Portal, true)
		mail := `{"key":"` + tenant.MailKeyText + `","recipients":[{"email":"ada@example.org"}],"text":"Hello"}`
		for name, c := range map[string]struct {
			to          fixture.Target
			token, body string
		}{
			"a mail":                {fixture.To("sendMail"), "", mail},
			"a list":                {fixture.To("listUsers"), tenant.AppToken, ""},
			"a list that is cached": {fixture.To("listPublicCategories", tenant.Portal), "", ""},
			"an error":              {fixture.To("listUsers"), "x", ""},
			"an error of a mail":    {fixture.To("sendMail"), "", "{}"},
			"the contract":          {fixture.To("getContract"), "", ""},
			"the outbox":            {fixture.At("GET", "/_local/outbox"), "", ""},
			"an error of the stack": {fixture.At("GET", "/_local/outbox/none"), "", ""},
		} {
			for range 2 { // the second mail repeats the first answer
				r, err := c.to.Request(t.Context(), stack.URL(), strings.NewReader(c.body))
				if err != nil {
					t.Fatal(err)
				}
				r.Header.Set("Idempotency-Key", "lines")
				r.Header.Set("api-access-token", c.token)
				response, err := stack.Client().Do(r)
				if err != nil {
					t.Fatal(err)
				}
				body, err := io.ReadAll(response.Body)
				response.Body.Close()
				if err != nil {
					t.Fatal(err)
				}
				if text := string(body); strings.TrimRight(text, "\n")+"\n" != text {
					t.Errorf("%s: %q", name, text)
				}
			}
		}
	})
}
