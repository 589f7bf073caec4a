// Command client makes every call of the API once, with the client that is generated from its contract. It says
// what went wrong, or nothing.
package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"strconv"
	"strings"

	"client/contract"
)

func main() {
	client, err := contract.NewClientWithResponses(os.Getenv("BASE_URL"))
	if err == nil {
		err = run(context.Background(), client)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, client *contract.ClientWithResponses) error {
	if err := mail(ctx, client); err != nil {
		return err
	}
	if err := users(ctx, client); err != nil {
		return err
	}
	if err := categories(ctx, client); err != nil {
		return err
	}
	return pages(ctx, client)
}

func mail(ctx context.Context, client *contract.ClientWithResponses) error {
	once := &contract.SendMailParams{IdempotencyKey: new("hello-ada")}
	var ada contract.Placeholder_Value // a string or a number
	if err := ada.FromPlaceholderValue0("Ada"); err != nil {
		return err
	}
	r, err := client.SendMailWithResponse(ctx, once, contract.Mail{
		Key:          os.Getenv("MAIL_KEY"),
		Recipients:   []contract.Recipient{{Email: "ada@example.org", Name: new("Ada Lovelace")}},
		Replyto:      &[]contract.Recipient{{Email: "help@example.org"}},
		Subject:      new("Hello"),
		Headers:      &contract.HeaderFields{"List-Unsubscribe": new("<https://www.example.com/leave>")},
		Tags:         &contract.Tags{"campaign": new("welcome")},
		Attachments:  &[]contract.Attachment{{Content: new([]byte("The news.\n")), Filename: new("news.txt")}},
		Html:         new("<p>Hello, {NAME}</p>"),
		Placeholders: &[]contract.Placeholder{{Name: "name", Value: &ada}},
		Config:       &[]contract.Switch{contract.Noconversion},
	})
	if err != nil || r.JSON200 == nil {
		return fmt.Errorf("send a mail: %w, %+v", err, r)
	}
	answer, err := r.JSON200.ValueByDiscriminator()
	if sent, ok := answer.(contract.MailSent); err != nil || !ok || sent.Id == "" {
		return fmt.Errorf("send a mail: %w, %+v", err, answer)
	}
	refused, err := client.SendMailWithResponse(ctx, nil, contract.Mail{Key: "wrong"})
	if err != nil || refused.JSON401 == nil || refused.JSON401.Status != contract.MailErrorStatusError {
		return fmt.Errorf("send a mail with a wrong key: %w, %+v", err, refused)
	}
	key := header("api_access_token", os.Getenv("MAIL_KEY"))
	listed, err := client.ListMailsWithResponse(ctx, &contract.ListMailsParams{Limit: new(1)}, key)
	if err != nil || listed.JSON200 == nil || len(listed.JSON200.Payload) != 1 {
		return fmt.Errorf("list mails: %w, %+v", err, listed)
	}
	mail := listed.JSON200.Payload[0]
	shown, err := client.GetMailWithResponse(ctx, mail.Id, key)
	if err != nil || shown.JSON200 == nil || shown.JSON200.Payload.Id != mail.Id {
		return fmt.Errorf("show a mail: %w, %+v", err, shown)
	}
	token := os.Getenv("UNSUBSCRIBE_TOKEN")
	page, err := client.GetUnsubscribePageWithResponse(ctx, token)
	if err != nil || page.StatusCode() != 200 {
		return fmt.Errorf("show the page: %w, %+v", err, page)
	}
	done, err := client.CreateUnsubscribeWithBodyWithResponse(ctx, token, "application/x-www-form-urlencoded",
		strings.NewReader("List-Unsubscribe=One-Click"))
	if err != nil || done.StatusCode() != 200 {
		return fmt.Errorf("unsubscribe: %w, %+v", err, done)
	}
	left, err := client.ListUnsubscribesWithResponse(ctx, &contract.ListUnsubscribesParams{}, key)
	if err != nil || left.JSON200 == nil || len(left.JSON200.Payload) != 1 {
		return fmt.Errorf("list who has unsubscribed: %w, %+v", err, left)
	}
	return nil
}

func users(ctx context.Context, client *contract.ClientWithResponses) error {
	platformToken := os.Getenv("PLATFORM_TOKEN")
	app := header("api_access_token", platformToken)
	const email, password = "grace@example.org", "correct horse battery"
	created, err := client.CreateUserWithResponse(ctx, contract.NewUser{
		Name: new("Grace"), Email: email, Password: new(password),
	}, app)
	if err != nil || created.JSON200 == nil {
		return fmt.Errorf("create a user: %w, %+v", err, created)
	}
	id := created.JSON200.Id
	renamed, err := client.UpdateUserWithResponse(ctx, id, contract.UserChanges{
		Name: new("Grace Hopper"),
	}, header("api-access-token", platformToken))
	if err != nil || renamed.JSON200 == nil || renamed.JSON200.Name != "Grace Hopper" {
		return fmt.Errorf("rename the user: %w, %+v", err, renamed)
	}
	admiral, err := client.UpdateUserByPutWithResponse(ctx, id, contract.UserChanges{Name: new("Admiral Hopper")}, app)
	if err != nil || admiral.JSON200 == nil || admiral.JSON200.Name != "Admiral Hopper" {
		return fmt.Errorf("rename the user by PUT: %w, %+v", err, admiral)
	}
	shown, err := client.GetUserWithResponse(ctx, id, header("Authorization", "Bearer "+platformToken))
	if err != nil || shown.JSON200 == nil || !reflect.DeepEqual(shown.JSON200, admiral.JSON200) {
		return fmt.Errorf("show the user: %w, %+v", err, shown)
	}
	invalid, err := client.UpdateUserWithResponse(ctx, id, contract.UserChanges{Name: new(" ")}, app)
	if err != nil || invalid.JSON422 == nil || len(*invalid.JSON422.Attributes) != 1 {
		return fmt.Errorf("rename the user to nothing: %w, %+v", err, invalid)
	}
	link, err := client.CreateLoginLinkWithResponse(ctx, id, app)
	if err != nil || link.JSON200 == nil {
		return fmt.Errorf("get a login link: %w, %+v", err, link)
	}
	u, err := url.Parse(link.JSON200.Url)
	if err != nil {
		return err
	}
	token := u.Query().Get("sso_auth_token")
	for _, credentials := range []contract.SignIn{
		{Email: email, SsoAuthToken: &token}, {Email: email, Password: new(password)},
	} {
		signedIn, err := client.SignInWithResponse(ctx, credentials)
		if err != nil || signedIn.JSON200 == nil || signedIn.JSON200.Data.Id != id {
			return fmt.Errorf("sign in: %w, %+v", err, signedIn)
		}
	}
	made, err := client.CreateUserTokenWithResponse(ctx, id, contract.NewUserToken{ExpiresIn: new(3600)}, app)
	if err != nil || made.JSON200 == nil || made.JSON200.UserId != id {
		return fmt.Errorf("make an agent token: %w, %+v", err, made)
	}
	ended, err := client.DeleteUserTokensWithResponse(ctx, id, app)
	if err != nil || ended.JSON200 == nil {
		return fmt.Errorf("end all agent tokens: %w, %+v", err, ended)
	}
	found, err := client.ListUsersWithResponse(ctx, &contract.ListUsersParams{Email: new(email)}, app)
	if err != nil || found.JSON200 == nil || len(found.JSON200.Payload) != 1 || found.JSON200.Payload[0].Id != id {
		return fmt.Errorf("find the user: %w, %+v", err, found)
	}
	if err := members(ctx, client, id, app); err != nil {
		return err
	}
	deleted, err := client.DeleteUserWithResponse(ctx, id, app)
	if err != nil || deleted.JSON200 == nil {
		return fmt.Errorf("delete the user: %w, %+v", err, deleted)
	}
	if gone, err := client.GetUserWithResponse(ctx, id, app); err != nil || gone.JSON401 == nil {
		return fmt.Errorf("show the deleted user: %w, %+v", err, gone)
	}
	return nil
}

func members(
	ctx context.Context, client *contract.ClientWithResponses, user int64, app contract.RequestEditorFn,
) error {
	const account, portal = 1, "handbook"
	added, err := client.CreateMemberWithResponse(ctx, account, portal, contract.NewMember{UserId: user}, app)
	if err != nil || added.JSON200 == nil || added.JSON200.UserId != user {
		return fmt.Errorf("add a member: %w, %+v", err, added)
	}
	listed, err := client.ListMembersWithResponse(ctx, account, portal, &contract.ListMembersParams{}, app)
	if err != nil || listed.JSON200 == nil || len(listed.JSON200.Payload) != 2 {
		return fmt.Errorf("list members: %w, %+v", err, listed)
	}
	removed, err := client.DeleteMemberWithResponse(ctx, account, portal, user, app)
	if err != nil || removed.JSON200 == nil {
		return fmt.Errorf("remove a member: %w, %+v", err, removed)
	}
	refused, err := client.ListMembersWithResponse(ctx, account+1, portal, &contract.ListMembersParams{}, app)
	if err != nil || refused.JSON401 == nil {
		return fmt.Errorf("list members without a grant: %w, %+v", err, refused)
	}
	return nil
}

func categories(ctx context.Context, client *contract.ClientWithResponses) error {
	const account, portal = 1, "handbook"
	agent := header("api_access_token", os.Getenv("AGENT_TOKEN"))
	parent, err := client.CreateCategoryWithResponse(ctx, account, portal, contract.CreateCategoryJSONRequestBody{
		Category: contract.NewCategory{Name: "Getting started", Slug: "getting-started", Position: new(int64(1))},
	}, agent)
	if err != nil || parent.JSON200 == nil {
		return fmt.Errorf("create a category: %w, %+v", err, parent)
	}
	id := parent.JSON200.Payload.Id
	child, err := client.CreateCategoryWithResponse(ctx, account, portal, contract.CreateCategoryJSONRequestBody{
		Category: contract.NewCategory{
			Name: "Installation", Slug: "installation", ParentCategoryId: &id, RelatedCategoryIds: &[]int64{id},
		},
	}, agent)
	if err != nil || child.JSON200 == nil || child.JSON200.Payload.ParentCategory.Id != id ||
		child.JSON200.Payload.Position != nil {
		return fmt.Errorf("create a sub-category: %w, %+v", err, child)
	}
	updated, err := client.UpdateCategoryWithResponse(ctx, account, portal, id, contract.UpdateCategoryJSONRequestBody{
		Category: contract.CategoryChanges{Description: new("First steps")},
	}, agent)
	if err != nil || updated.JSON200 == nil || *updated.JSON200.Payload.Description != "First steps" ||
		len(updated.JSON200.Payload.SubCategoryIds) != 1 {
		return fmt.Errorf("update the category: %w, %+v", err, updated)
	}
	moved := contract.UpdateCategoryByPatchJSONRequestBody{Category: contract.CategoryChanges{Position: new(int64(2))}}
	patched, err := client.UpdateCategoryByPatchWithResponse(ctx, account, portal, id, moved, agent)
	if err != nil || patched.JSON200 == nil || *patched.JSON200.Payload.Position != 2 {
		return fmt.Errorf("update the category by PATCH: %w, %+v", err, patched)
	}
	shown, err := client.GetCategoryWithResponse(ctx, account, portal, id, agent)
	if err != nil || shown.JSON200 == nil || shown.JSON200.Payload.Name != "Getting started" {
		return fmt.Errorf("show the category: %w, %+v", err, shown)
	}
	below := child.JSON200.Payload.Id
	ordered, err := client.ReorderCategoriesWithResponse(ctx, account, portal, contract.CategoryPositions{
		PositionsHash: map[string]*int64{strconv.FormatInt(below, 10): new(int64(0)), strconv.FormatInt(id, 10): nil},
	}, agent)
	if err != nil || ordered.JSON200 == nil || len(ordered.JSON200.Payload) != 2 ||
		ordered.JSON200.Payload[0].Id != below || ordered.JSON200.Payload[1].Position != nil {
		return fmt.Errorf("reorder the categories: %w, %+v", err, ordered)
	}
	page, err := client.ListCategoriesWithResponse(ctx, account, portal, &contract.ListCategoriesParams{
		Limit: new(1),
	}, agent)
	if err != nil || page.JSON200 == nil || len(page.JSON200.Payload) != 1 || page.JSON200.Meta.CategoriesCount == nil {
		return fmt.Errorf("list a page of categories: %w, %+v", err, page)
	}
	rest, err := client.ListCategoriesWithResponse(ctx, account, portal, &contract.ListCategoriesParams{
		Cursor: page.JSON200.Meta.NextCursor, Locale: new("en"),
	}, agent)
	if err != nil || rest.JSON200 == nil || len(rest.JSON200.Payload) != 1 || rest.JSON200.Meta.NextCursor != nil {
		return fmt.Errorf("list the other categories: %w, %+v", err, rest)
	}
	public, err := client.ListPublicCategoriesWithResponse(ctx, account, portal, &contract.ListPublicCategoriesParams{
		Limit: new(1), Locale: new("en"),
	})
	if err != nil || public.JSON200 == nil || len(public.JSON200.Payload) != 1 ||
		public.JSON200.Meta.NextCursor == nil {
		return fmt.Errorf("list the categories in public: %w, %+v", err, public)
	}
	seen, err := client.GetPublicCategoryWithResponse(ctx, account, portal, "installation", nil)
	if err != nil || seen.JSON200 == nil || seen.JSON200.Payload.ParentCategory.Id != id {
		return fmt.Errorf("show a category in public: %w, %+v", err, seen)
	}
	same, err := client.GetPublicCategoryWithResponse(ctx, account, portal, "installation",
		&contract.GetPublicCategoryParams{IfNoneMatch: new(seen.HTTPResponse.Header.Get("etag"))})
	if err != nil || same.StatusCode() != http.StatusNotModified {
		return fmt.Errorf("show the category in public again: %w, %+v", err, same)
	}
	deleted, err := client.DeleteCategoryWithResponse(ctx, account, portal, id, agent)
	if err != nil || deleted.JSON200 == nil {
		return fmt.Errorf("delete the category: %w, %+v", err, deleted)
	}
	gone, err := client.DeleteCategoryWithResponse(ctx, account, portal, id, agent)
	if err != nil || gone.JSON404 == nil {
		return fmt.Errorf("delete the category again: %w, %+v", err, gone)
	}
	return nil
}

func pages(ctx context.Context, client *contract.ClientWithResponses) error {
	login, err := client.GetLoginPageWithResponse(ctx, &contract.GetLoginPageParams{
		Email: new("ada@example.org"), SsoAuthToken: new("x"),
	})
	if err != nil || !strings.Contains(string(login.Body), "<title>") {
		return fmt.Errorf("open the login page: %w, %+v", err, login)
	}
	document, err := client.GetContractWithResponse(ctx, nil)
	if err != nil || document.JSON200 == nil {
		return fmt.Errorf("get the contract: %w, %+v", err, document)
	}
	second, err := client.GetContract30WithResponse(ctx, nil)
	if err != nil || second.JSON200 == nil || !bytes.Equal(second.Body, document.Body) {
		return fmt.Errorf("get the contract by its second address: %w, %+v", err, second)
	}
	again, err := client.GetContractWithResponse(ctx, &contract.GetContractParams{
		IfNoneMatch: new(document.HTTPResponse.Header.Get("etag")),
	})
	if err != nil || again.StatusCode() != http.StatusNotModified {
		return fmt.Errorf("get the contract again: %w, %+v", err, again)
	}
	docs, err := client.GetDocsPageWithResponse(ctx, nil)
	if err != nil || docs.StatusCode() != http.StatusOK {
		return fmt.Errorf("open the docs: %w, %+v", err, docs)
	}
	file, err := client.GetDocsFileWithResponse(ctx, "page.js", nil)
	if err != nil || file.StatusCode() != http.StatusOK {
		return fmt.Errorf("get a file of the docs: %w, %+v", err, file)
	}
	missing, err := client.GetDocsFileWithResponse(ctx, "missing.js", nil)
	if err != nil || missing.JSON404 == nil {
		return fmt.Errorf("get a file that there is not: %w, %+v", err, missing)
	}
	return nil
}

// header has every request of a call carry a header, in the spelling that is given.
func header(name, value string) contract.RequestEditorFn {
	return func(_ context.Context, r *http.Request) error {
		r.Header[name] = []string{value}
		return nil
	}
}
