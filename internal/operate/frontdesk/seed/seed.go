// Package seed fills a local stack with sample data, through its API: categories, users, and a dozen mails of various
// kinds. Existing data stays as it is. A mail is sent again only when the API has forgotten its Idempotency-Key.
//
// It calls the API as any caller does, so the console shows these requests as well.
package seed

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
)

// Stack has the address of the API, and the credentials of its callers.
type Stack struct {
	URL                                string // base URL
	MailKey, PlatformToken, AgentToken string
	Account, Portal                    string // id and slug
}

//go:embed seed.json
var contents []byte

// object is a JSON object that goes to the API as it stands in the file.
type object = map[string]any

// content is the file seed.json.
type content struct {
	Categories []category
	Users      []object
	Mails      []mail
}

// category is one of the portal's categories. Parent and Root are "" for none.
type category struct {
	Parent, Root string // slugs of earlier categories
	Category     object
}

// mail is a request to POST /sender.php, without the key.
type mail struct {
	Name    string // part of its Idempotency-Key
	Others  int    // how many recipients it has besides those in the JSON
	Refused bool   // whether the API must refuse it
	Mail    object
}

// Fill fills the stack. It stops at the first error; what came before stays.
func Fill(ctx context.Context, s Stack) error {
	var all content
	if err := json.Unmarshal(contents, &all); err != nil {
		return err
	}
	if err := s.fillCategories(ctx, all.Categories); err != nil {
		return err
	}
	// Creating a user again only links the app to the same user, so this needs no check.
	for _, u := range all.Users {
		if err := s.call(ctx, "POST", "/platform/api/v1/users", token(s.PlatformToken), u, nil); err != nil {
			return err
		}
	}
	for _, m := range all.Mails {
		if err := s.send(ctx, m); err != nil {
			return fmt.Errorf("mail %s: %w", m.Name, err)
		}
	}
	return nil
}

// fillCategories creates the categories that the portal lacks, by their slugs. A parent or root stands in the file
// before the categories that refer to it, so its id is known by then.
func (s Stack) fillCategories(ctx context.Context, categories []category) error {
	path := "/api/v1/accounts/" + s.Account + "/portals/" + s.Portal + "/categories"
	type shown struct {
		ID   int64
		Slug string
	}
	var list struct{ Payload []shown }
	if err := s.call(ctx, "GET", path, token(s.AgentToken), nil, &list); err != nil {
		return err
	}
	ids := map[string]int64{}
	for _, c := range list.Payload {
		ids[c.Slug] = c.ID
	}
	for _, c := range categories {
		slug, _ := c.Category["slug"].(string)
		if ids[slug] != 0 {
			continue
		}
		if c.Parent != "" {
			c.Category["parent_category_id"] = ids[c.Parent]
		}
		if c.Root != "" {
			c.Category["associated_category_id"] = ids[c.Root]
		}
		var created struct{ Payload shown }
		if err := s.call(ctx, "POST", path, token(s.AgentToken), object{"category": c.Category}, &created); err != nil {
			return err
		}
		ids[slug] = created.Payload.ID
	}
	return nil
}

// send sends a mail. It is an error if a mail is refused that should not be, and the reverse.
func (s Stack) send(ctx context.Context, m mail) error {
	recipients, _ := m.Mail["recipients"].([]any)
	for i := range m.Others {
		recipients = append(recipients, object{"email": fmt.Sprintf("reader-%d@example.org", i+1)})
	}
	m.Mail["key"], m.Mail["recipients"] = s.MailKey, recipients
	var answer struct{ Status, Error string }
	key := http.Header{"Idempotency-Key": {"seed-" + m.Name}}
	if err := s.call(ctx, "POST", "/sender.php", key, m.Mail, &answer); err != nil {
		return err
	}
	if refused := answer.Status != "success"; refused != m.Refused {
		return fmt.Errorf("its status is %s: %s", answer.Status, cmp.Or(answer.Error, "no error"))
	}
	return nil
}

// token returns the header by which both tokens authenticate, that of an app and that of an agent.
func token(t string) http.Header { return http.Header{"api_access_token": {t}} }

// call calls the API, and decodes the answer unless answer is nil. Any status but 200 is an error with the API's
// own words.
func (s Stack) call(ctx context.Context, method, path string, header http.Header, body, answer any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, method, s.URL+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	maps.Copy(request.Header, header)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	// The body is read before the status is judged: it says what was refused.
	raw, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", response.Status, raw)
	}
	if err == nil && answer != nil {
		err = json.Unmarshal(raw, answer)
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	return nil
}
