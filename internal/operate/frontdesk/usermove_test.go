package main

import (
	"cmp"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/operate/transfer"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
)

// usersFromFive is the part of the page whose blocks make files of what five systems export.
const usersFromFive = "Users from five systems"

// movedPassword is the password of every user in testdata/moves, whose hashes PHP and Python have made.
const movedPassword = "correct horse battery"

// TestUsersMoveFromOtherSystems: the blocks of that part import the users of testdata/moves, which are as each system
// documents its export. They sign in with the passwords that they had there. The rest comes without a hash, or not at
// all, for a reason that is said.
func TestUsersMoveFromOtherSystems(t *testing.T) {
	t.Parallel()
	o := onProcesses(t)
	for system, c := range map[string]struct {
		signIn  []string // users who come with a hash
		without []string // users who come without one: they had a second factor, or the hash is not taken
		says    []string
		users   []string // the first lines of some users
	}{
		"Keycloak": {
			signIn: []string{"nora", "otto"}, without: []string{"paul", "quin"},
			says: []string{
				"user 6a1e0a86-4f0c-4b5e-8b38-0b1f4b9b2f17 has no e-mail address", "line 6: Password hash must be of ",
				"left out: user 6a1e0a86-4f0c-4b5e-8b38-0b1f4b9b2f15, rosa@keycloak.example.org, is not enabled",
				"left out: user 6a1e0a86-4f0c-4b5e-8b38-0b1f4b9b2f16, sven@keycloak.example.org, is not confirmed",
			},
			users: []string{`nora Nora Lind {"plan":["gold"]} 2024-05-27T08:53:20.001Z`, "paul paul"},
		},
		"Auth0": {
			signIn: []string{"Nora", "rosa"}, without: []string{"quin"},
			says: []string{
				"left out: user auth0|60425dc43519d90068f82972, otto@auth0.example.org, is blocked",
				"left out: user auth0|60425dc43519d90068f82973, paul@auth0.example.org, is not confirmed",
			},
			users: []string{`Nora Nora Lind {"plan":"gold"} 2021-03-05T16:34:44Z`, "rosa Rosa Sand"},
		},
		"Clerk": {
			signIn: []string{"nora", "rosa"}, without: []string{"quin"},
			says: []string{
				"user user_2a4 has no e-mail address",
				"left out: user user_2a2, otto@clerk.example.org, is not confirmed",
			},
			users: []string{`nora Nora Lind, "the" First`, "rosa Rosa Maria Sand"},
		},
		"Kratos": {
			signIn: []string{"nora", "otto"}, without: []string{"paul", "quin"},
			says: []string{
				"line 6: Password hash is of argon2id with 3 passes over 131072 KiB of memory (maximum is 1)",
				"left out: user 9f425a8d-7efc-4768-8f23-7647a74fdf15, rosa@kratos.example.org, is not enabled",
				"left out: user 9f425a8d-7efc-4768-8f23-7647a74fdf16, sven@kratos.example.org, is not confirmed",
			},
			users: []string{`nora Nora Lind {"plan":"gold"} 2024-01-31T11:00:00.123Z`, "otto Otto"},
		},
		"Supabase": {
			signIn: []string{"nora", "otto"}, without: []string{"quin", "sven"},
			says: []string{
				"user 3d1f8c2e-0b7a-4c39-9a52-6f0d2b1c4e56 has no e-mail address",
				"left out: user 3d1f8c2e-0b7a-4c39-9a52-6f0d2b1c4e53, paul@supabase.example.org, is banned",
				"left out: user 3d1f8c2e-0b7a-4c39-9a52-6f0d2b1c4e55, rosa@supabase.example.org, is not confirmed",
			},
			users: []string{
				`nora Nora Lind {"full_name":"Nora Lind","plan":"gold"} 2024-01-31T11:00:00.123Z`,
				"otto otto@supabase.example.org",
			},
		},
	} {
		t.Run(system, func(t *testing.T) {
			domain := "@" + strings.ToLower(system) + ".example.org"
			m := newMoveTerminal(t, newChatwoot(), variablesOf(t, o.file))
			m.exports(domain)
			blocks := slices.DeleteFunc(moveBlocks(t, usersFromFive), func(b block) bool {
				return !strings.HasPrefix(b.name, movePage+", "+system) &&
					!strings.HasPrefix(b.name, movePage+", Prepare") &&
					!strings.HasPrefix(b.name, movePage+", Import them")
			})
			expect.Len(t, blocks, 4, "blocks")
			said := strings.Join(m.pastes(blocks), "")
			for _, text := range c.says {
				expect.Contains(t, said, text)
			}

			var came, users []string
			for _, record := range recordsIn(t, o.prints("export", "--all")) {
				of, isUser := record.(transfer.User)
				name, here := strings.CutSuffix(of.Email, domain)
				if !isUser || !here {
					continue
				}
				came = append(came, name)
				line := name + " " + of.Name + " " + cmp.Or(string(of.CustomAttributes), "{}") + " " +
					of.CreatedAt.Format("2006-01-02T15:04:05.999Z07:00")
				users = append(users, line)
			}
			slices.Sort(came)
			want := slices.Sorted(slices.Values(slices.Concat(c.signIn, c.without)))
			expect.Equal(t, came, want, "users who came")
			for _, begin := range c.users {
				isSo := func(line string) bool { return strings.HasPrefix(line, begin) }
				expect.Equal(t, slices.ContainsFunc(users, isSo), true, begin+" in "+strings.Join(users, "\n"))
			}
			signIn := func(name string) int {
				return o.Call(t, fixture.To("signIn"), nil, fixture.Object{
					"email": name + domain, "password": movedPassword,
				}).Status
			}
			for _, name := range c.signIn {
				expect.Equal(t, signIn(name), http.StatusOK, name)
			}
			for _, name := range c.without {
				expect.Equal(t, signIn(name), http.StatusUnauthorized, name)
			}
		})
	}
	o.prints("check")
}

// exports puts what the systems have exported where the page expects it, with addresses of another domain: those of two
// systems would be the same users.
func (m moveTerminal) exports(domain string) {
	m.Helper()
	files, err := filepath.Glob("testdata/moves/*")
	if err == nil {
		err = os.Mkdir(filepath.Join(m.dir, "exports"), 0o700)
	}
	if err != nil {
		m.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			m.Fatal(err)
		}
		for _, ending := range []string{"@example.org", "@Example.org"} {
			text = []byte(strings.ReplaceAll(string(text), ending, domain))
		}
		m.write(filepath.Join("exports", filepath.Base(file)), string(text), 0o600)
	}
	m.write("bin/psql", "#!/bin/sh\ncat exports/supabase.ndjson\n", 0o700)
}
