package matrix

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/prove/contracttest"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"

	"github.com/getkin/kin-openapi/openapi3"
)

// listsKnowTheirParameters: a list that needs a credential refuses a query parameter that it does not have, and names
// those that it has, which are those of the contract. A misspelt filter would otherwise list what nobody asked for.
// Public lists pass over such a parameter, because readers come with those of campaigns.
func listsKnowTheirParameters(t testing.TB, s *fixture.Stack) {
	parameters := listParameters(t)
	each(lists(parameters), func(r fixture.Request) {
		c := s.NewClient(t)
		sent := c.Prepared(r)
		path, _, _ := strings.Cut(sent.Path, "?")
		for _, unknown := range []string{"q", "search", "Limit", "utm_source", "email%00", ""} {
			sent.Path = path + "?limit=1&" + unknown + "=x"
			a := s.Send(t, r, sent, nil)
			if r.By == fixture.NoCredential {
				a.Is(t, http.StatusOK, nil)
				continue
			}
			a.Is(t, http.StatusBadRequest, fixture.Object{"code": "malformed"})
			message, _ := a.Body["message"].(string)
			_, named, _ := strings.Cut(message, "; this list has ")
			known := strings.Split(strings.ReplaceAll(named, " and ", ", "), ", ")
			slices.Sort(known)
			expect.Equal(t, known, parameters[r.Operation], r.String()+", the parameters that it has")
		}
	})
}

// pagesHaveNoNumbers: a list refuses a page number, because a client that counts pages until one is empty would never
// end.
func pagesHaveNoNumbers(t testing.TB, s *fixture.Stack) {
	each(lists(listParameters(t)), func(r fixture.Request) {
		sent := s.NewClient(t).Prepared(r)
		path, _, _ := strings.Cut(sent.Path, "?")
		for query, status := range map[string]int{
			"page=1": 200, "page=": 200, "page=1&limit=5": 200,
			"page=2": 400, "page=0": 400, "page=-1": 400, "page=01": 400, "page=x": 400, "page=1&page=2": 400,
			"page=2&limit=5": 400, "page=2&limit=x": 400,
		} {
			sent.Path = path + "?" + query
			a := s.Send(t, r, sent, nil)
			a.Is(t, status, nil)
			if status == http.StatusBadRequest {
				message, _ := a.Body["message"].(string)
				expect.Equal(t, a.Body["code"], "malformed", sent.Path+": code")
				expect.Contains(t, message, "limit says", sent.Path)
				expect.Contains(t, message, "cursor, the next_cursor", sent.Path)
			}
		}
	})
}

// lists are the rows of operations that have parameters of a list.
func lists(parameters map[string][]string) []fixture.Request {
	return slices.DeleteFunc(endpoints(), func(r fixture.Request) bool { return parameters[r.Operation] == nil })
}

// listParameters returns the query parameters of each operation that lists, as the contract has them, sorted.
func listParameters(t testing.TB) map[string][]string {
	t.Helper()
	parameters := map[string][]string{}
	for name, o := range contracttest.Operations(t) {
		if o.Parameters.GetByInAndName(openapi3.ParameterInQuery, "cursor") == nil {
			continue
		}
		for _, p := range o.Parameters {
			if p.Value.In == openapi3.ParameterInQuery {
				parameters[name] = append(parameters[name], p.Value.Name)
			}
		}
		slices.Sort(parameters[name])
	}
	return parameters
}
