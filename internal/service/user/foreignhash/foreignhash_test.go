package foreignhash_test

import (
	"os"
	"strings"
	"testing"

	"frontdesk/internal/prove/expect"
	"frontdesk/internal/service/user/foreignhash"
)

// made is a hash that another program has made.
type made struct{ kind, by, password, hash string }

// readMade reads the hashes that testdata/make.sh has printed.
func readMade(t testing.TB) (all []made) {
	t.Helper()
	text, err := os.ReadFile("testdata/hashes.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 4 {
			t.Fatalf("line %q", line)
		}
		all = append(all, made{kind: f[0], by: f[1], password: f[2], hash: f[3]})
	}
	return all
}

// parse parses a hash that must be accepted.
func parse(t testing.TB, text string) foreignhash.Hash {
	t.Helper()
	h, err := foreignhash.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return h
}

// werkzeug returns a hash of scrypt with a cost such as "32768:8:1".
func werkzeug(cost string) string { return "scrypt:" + cost + "$salt-of-8$" + strings.Repeat("0a", 64) }

// TestPasswordsAreComparedByteForByte has pairs of passwords that bcrypt, or a user, might take for the same. The
// hashes are from testdata/hashes.txt, or were made in the same way.
func TestPasswordsAreComparedByteForByte(t *testing.T) {
	t.Parallel()
	byPassword := map[string]string{}
	for _, m := range readMade(t) {
		byPassword[m.kind+" "+m.password] = m.hash
	}
	const twoCharacters, greeting = "e\u0301 is two characters", "Grüße, 世界 17"
	accents := strings.Repeat("é", 36)
	x := func(n int) string { return strings.Repeat("x", n) }
	for name, c := range map[string]struct {
		kind, of, password string
		want               bool
	}{
		"bcrypt: the empty password":                {"bcrypt", "short", "", false},
		"bcrypt: capital letters":                   {"bcrypt", "short", "SHORT", false},
		"bcrypt_sha256: the password's beginning":   {"bcrypt_sha256", x(200), x(199), false},
		"argon2id: the empty password":              {"argon2id", "short", "", false},
		"argon2id: capital letters":                 {"argon2id", "short", "SHORT", false},
		"pbkdf2_sha256: the empty password":         {"pbkdf2_sha256", "short", "", false},
		"pbkdf2_sha256: capital letters":            {"pbkdf2_sha256", "short", "SHORT", false},
		"pbkdf2_sha512: the empty password":         {"pbkdf2_sha512", "short", "", false},
		"scrypt: the empty password":                {"scrypt", "short", "", false},
		"firescrypt: the empty password":            {"firescrypt", "user1password", "", false},
		"bcrypt takes 72 bytes":                     {"bcrypt", x(72), x(72), true},
		"bcrypt cuts nothing off":                   {"bcrypt", x(72), x(73), false},
		"bcrypt counts bytes, not characters":       {"bcrypt", accents, accents, true},
		"bcrypt cuts no character off":              {"bcrypt", accents, accents + "é", false},
		"bcrypt does not end at a NUL":              {"bcrypt", "short", "short\x00", false},
		"bcrypt does not take a repetition":         {"bcrypt", "short", "short\x00short", false},
		"pbkdf2_sha256 does not end at a NUL":       {"pbkdf2_sha256", "short", "short\x00", false},
		"bcrypt_sha256 does not end at a NUL":       {"bcrypt_sha256", x(200), x(200) + "\x00", false},
		"argon2id does not end at a NUL":            {"argon2id", "short", "short\x00", false},
		"bcrypt_sha256 takes more than 72 bytes":    {"bcrypt_sha256", x(200), x(200), true},
		"bcrypt_sha256 cuts nothing off":            {"bcrypt_sha256", x(200), x(201), false},
		"letters with accents as they were typed":   {"bcrypt", twoCharacters, twoCharacters, true},
		"letters with accents in another form":      {"bcrypt", twoCharacters, "é is two characters", false},
		"argon2id: letters as they were typed":      {"argon2id", greeting, greeting, true},
		"argon2id: letters in another form":         {"argon2id", greeting, "Gru\u0308ße, 世界 17", false},
		"pbkdf2_sha256: letters in another form":    {"pbkdf2_sha256", greeting, "Gru\u0308ße, 世界 17", false},
		"pbkdf2_sha256: a password of 4,096 bytes":  {"pbkdf2_sha256", "short", x(4096), false},
		"argon2id: a password of 4,096 bytes":       {"argon2id", "short", x(4096), false},
		"bcrypt: a password of 4,096 bytes":         {"bcrypt", "short", x(4096), false},
		"bcrypt_sha256: the digest is no password":  {"bcrypt_sha256", x(200), "", false},
		"pbkdf2_sha256: white space is not trimmed": {"pbkdf2_sha256", "short", "short ", false},
		"pbkdf2_sha512 does not end at a NUL":       {"pbkdf2_sha512", "short", "short\x00", false},
		"scrypt does not end at a NUL":              {"scrypt", "short", "short\x00", false},
		"firescrypt does not end at a NUL":          {"firescrypt", "user1password", "user1password\x00", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			hash := byPassword[c.kind+" "+c.of]
			if hash == "" {
				t.Fatalf("there is no %s of %q", c.kind, c.of)
			}
			expect.Equal(t, parse(t, hash).Matches(c.password), c.want, "it matches")
		})
	}
}

// TestWhatIsTakenAndWhatNot has hashes at the bounds and beyond them, and spellings that only some programs accept.
func TestWhatIsTakenAndWhatNot(t *testing.T) {
	t.Parallel()
	const (
		// The parts of a bcrypt hash: 22 characters of salt and 31 of hash.
		salt22, hash31 = "QAcBaOhcMyzaOGIBzyR.i.", "G6HBcQEtKEwW94tLGgZLRh8y.3l/lGu"
		bcrypted       = "$2a$04$" + salt22 + hash31
		key32          = "PxhqLNCrbymy/KC761CGdbK/KlZpGB11Ew2vAW/9px4="
		noKinds        = "must be of bcrypt ($2a$, $2b$ or $2y$), argon2id ($argon2id$v=19$), PBKDF2 "
		noBcrypt       = "must be of bcrypt as its programs write it"
		noPBKDF2       = "must be of PBKDF2 as Django, Kratos or passlib write it"
		noScrypt       = "must be of scrypt as Werkzeug writes it"
		noArgon        = "must be of argon2id as its reference implementation writes it"
	)
	const saltAndHash = "$SEmiY1jGWaA$pRtRCpIoqUDBLmuRqdAAKw"
	argon := func(cost string) string { return "$argon2id$v=19$" + cost + saltAndHash }
	argon2, salt65 := argon("m=128,t=1,p=1"), strings.Repeat("s", 65)
	pbkdf2 := func(rounds string) string { return "pbkdf2_sha256$" + rounds + "$salt-of-8$" + key32 }
	key64 := strings.Repeat("A", 85) + "g=="
	phc := func(digest, cost, key string) string {
		return "$pbkdf2-" + digest + "$" + cost + "$c2FsdC1vZi04$" + strings.TrimRight(key, "=")
	}
	cheap, cut := werkzeug("2:8:1"), strings.TrimSuffix
	firebase := func(cost string) string {
		return "$firescrypt$" + cost + "$c2FsdC1vZi04$" + key64 + "$Bw==$" + key64
	}
	for name, c := range map[string]struct{ text, err string }{
		"bcrypt of $2a$":                      {bcrypted, ""},
		"bcrypt of $2b$":                      {"$2b$" + bcrypted[4:], ""},
		"bcrypt of $2y$":                      {"$2y$" + bcrypted[4:], ""},
		"bcrypt of $2x$, which is faulty":     {"$2x$" + bcrypted[4:], noKinds},
		"bcrypt of $2$":                       {"$2$" + bcrypted[4:], noKinds},
		"bcrypt of cost 12":                   {"$2a$12" + bcrypted[6:], ""},
		"bcrypt of cost 13":                   {"$2a$13" + bcrypted[6:], "with the cost 13 (maximum is 12)"},
		"bcrypt of cost 99":                   {"$2a$99" + bcrypted[6:], "with the cost 99 (maximum is 12)"},
		"bcrypt of cost 3":                    {"$2a$03" + bcrypted[6:], noBcrypt},
		"bcrypt of a cost that is no number":  {"$2a$+4" + bcrypted[6:], noBcrypt},
		"bcrypt that is cut off":              {bcrypted[:59], noBcrypt},
		"bcrypt with something behind it":     {bcrypted + "\n", noBcrypt},
		"bcrypt with a line break in it":      {bcrypted[:40] + "\n" + bcrypted[41:], noBcrypt},
		"bcrypt with another salt's spelling": {"$2a$04$" + salt22[:21] + "/" + hash31, noBcrypt},
		"bcrypt with another hash's spelling": {"$2a$04$" + salt22 + hash31[:30] + "v", noBcrypt},
		"bcrypt with a character of base64":   {"$2a$04$" + salt22 + "+" + hash31[1:], noBcrypt},
		"bcrypt with a space before it":       {" " + bcrypted, noKinds},

		"bcrypt_sha256":                {"bcrypt_sha256$" + bcrypted, ""},
		"bcrypt_sha256 of $2x$":        {"bcrypt_sha256$$2x$" + bcrypted[4:], "must be of bcrypt"},
		"bcrypt_sha256 of $1a$":        {"bcrypt_sha256$$1a$" + bcrypted[4:], "must be of bcrypt"},
		"bcrypt_sha256 of anything":    {"bcrypt_sha256$AAAA" + bcrypted[4:], "must be of bcrypt"},
		"bcrypt_sha256 of line feeds":  {"bcrypt_sha256$\n\n\n\n" + bcrypted[4:], "must be of bcrypt"},
		"bcrypt_sha256 of cost 31":     {"bcrypt_sha256$$2$312" + bcrypted[6:], "must be of bcrypt"},
		"bcrypt_sha256 of cost 13":     {"bcrypt_sha256$$2b$13" + bcrypted[6:], "with the cost 13 (maximum is 12)"},
		"bcrypt_sha256 of bcrypt_sha2": {"bcrypt_sha256$bcrypt_sha256$" + bcrypted, noBcrypt},
		"bcrypt_sha256 of nothing":     {"bcrypt_sha256$", noBcrypt},

		"pbkdf2_sha256":                       {pbkdf2("1000"), ""},
		"pbkdf2_sha256 of 1,200,000 rounds":   {pbkdf2("1200000"), ""},
		"pbkdf2_sha256 of 1,500,000 rounds":   {pbkdf2("1500000"), ""},
		"pbkdf2_sha256 of 1,500,001 rounds":   {pbkdf2("1500001"), "(maximum is 1500000 for a hash of 32"},
		"pbkdf2_sha256 of 10^30 rounds":       {pbkdf2("1" + strings.Repeat("0", 30)), "too many rounds"},
		"pbkdf2_sha256 of no rounds":          {pbkdf2("0"), noPBKDF2},
		"pbkdf2_sha256 of negative rounds":    {pbkdf2("-1"), noPBKDF2},
		"pbkdf2_sha256 of 01 rounds":          {pbkdf2("01"), noPBKDF2},
		"pbkdf2_sha256 without rounds":        {pbkdf2(""), noPBKDF2},
		"pbkdf2_sha256 with a short salt":     {"pbkdf2_sha256$1000$seasalt$" + key32, "a salt of 7 bytes"},
		"pbkdf2_sha256 with a long salt":      {"pbkdf2_sha256$1$" + salt65 + "$" + key32, "a salt of 65 bytes"},
		"pbkdf2_sha256 without a hash":        {"pbkdf2_sha256$1000$salt-of-8$", noPBKDF2},
		"pbkdf2_sha256 with a short hash":     {"pbkdf2_sha256$1000$salt-of-8$" + key32[4:], noPBKDF2},
		"pbkdf2_sha256 without the padding":   {"pbkdf2_sha256$1000$salt-of-8$" + key32[:43], noPBKDF2},
		"pbkdf2_sha256 with another spelling": {"pbkdf2_sha256$1000$salt-of-8$" + key32[:42] + "5=", noPBKDF2},
		"pbkdf2_sha256 with a line break":     {"pbkdf2_sha256$1000$salt-of-8$" + key32 + "\n", noPBKDF2},
		"pbkdf2_sha256 with a fifth part":     {"pbkdf2_sha256$1000$salt-of-8$" + key32 + "$", noPBKDF2},
		"pbkdf2_sha1":                         {"pbkdf2_sha1$1000$salt-of-8$" + key32, noKinds},
		"pbkdf2_sha256 of 64 bytes":           {"pbkdf2_sha256$750000$salt-of-8$" + key64, ""},
		"pbkdf2_sha256 of 64 bytes, too many": {"pbkdf2_sha256$750001$salt-of-8$" + key64, "(maximum is 750000 for"},
		"Keycloak's salt":                     {"pbkdf2_sha256$1$c2FsdCBvZiAxMSBiYg==$" + key32, ""},
		"Keycloak's salt, too short":          {"pbkdf2_sha256$1$c2FsdHM=$" + key32, "a salt of 5 bytes"},
		"pbkdf2_sha512":                       {"pbkdf2_sha512$500000$salt-of-8$" + key64, ""},
		"pbkdf2_sha512, too many rounds":      {"pbkdf2_sha512$500001$salt-of-8$" + key64, "(maximum is 500000 for"},
		"PBKDF2 as Kratos writes it":          {phc("sha512", "i=210000,l=64", key64), ""},
		"PBKDF2 as passlib writes it":         {phc("sha256", "29000", strings.ReplaceAll(key32, "+", ".")), ""},
		"PBKDF2 of passlib, with a plus":      {phc("sha256", "29000", "+"+key32[1:]), noPBKDF2},
		"PBKDF2 with another length":          {phc("sha512", "i=210000,l=32", key64), noPBKDF2},
		"PBKDF2 without a length":             {phc("sha512", "i=210000", key64), noPBKDF2},
		"PBKDF2 with a length alone":          {phc("sha512", "210000,l=64", key64), noPBKDF2},
		"PBKDF2 with padding":                 {phc("sha512", "i=210000,l=64", key64) + "==", noPBKDF2},
		"PBKDF2 of SHA-1":                     {phc("sha1", "i=1000,l=64", key64), noKinds},

		"scrypt of Werkzeug":                    {werkzeug("32768:8:1"), ""},
		"scrypt of 64 MiB":                      {werkzeug("65536:8:1"), ""},
		"scrypt of more than 64 MiB":            {werkzeug("131072:8:1"), "the cost 131072:8:1 (maximum is 64 MiB"},
		"scrypt with two passes too many":       {werkzeug("65536:8:2"), "with the cost 65536:8:2"},
		"scrypt of 2^62":                        {werkzeug("4611686018427387904:1:1"), "(maximum is 64 MiB"},
		"scrypt of the largest blocks":          {werkzeug("1024:32:16"), ""},
		"scrypt of larger blocks":               {werkzeug("2:33:1"), "is of scrypt with r=33 (maximum is 32)"},
		"scrypt of blocks alone":                {werkzeug("2:262144:1"), "is of scrypt with r=262144"},
		"scrypt of the most passes":             {werkzeug("32768:1:16"), ""},
		"scrypt of more passes":                 {werkzeug("2:1:17"), "is of scrypt with p=17 (maximum is 16)"},
		"scrypt of passes alone":                {werkzeug("2:1:262144"), "is of scrypt with p=262144"},
		"scrypt of a cost that is no power":     {werkzeug("32767:8:1"), noScrypt},
		"scrypt of the cost 1":                  {werkzeug("1:8:1"), noScrypt},
		"scrypt of no blocks":                   {werkzeug("32768:0:1"), noScrypt},
		"scrypt of negative passes":             {werkzeug("32768:8:-1"), noScrypt},
		"scrypt with another spelling":          {werkzeug("032768:8:1"), noScrypt},
		"scrypt with a hash in capital letters": {strings.ReplaceAll(cheap, "0a", "0A"), noScrypt},
		"scrypt with a hash that is cut off":    {cut(cheap, "0a"), noScrypt},
		"scrypt with a short salt":              {strings.Replace(cheap, "-of-8", "", 1), "a salt of 4 bytes"},
		"PBKDF2 of Werkzeug":                    {"pbkdf2:sha256:260000$salt-of-8$" + key32, noKinds},
		"scrypt of Firebase":                    {firebase("ln=14,r=8,p=1"), ""},
		"scrypt of Firebase, too costly":        {firebase("ln=17,r=8,p=1"), "the cost 131072:8:1 (maximum is 64 MiB"},
		"scrypt of Firebase, large blocks":      {firebase("ln=1,r=33,p=1"), "is of scrypt with r=33"},
		"scrypt of Firebase, 2^64":              {firebase("ln=64,r=8,p=1"), noScrypt},
		"scrypt of Firebase with other order":   {firebase("r=8,ln=14,p=1"), noScrypt},
		"scrypt of Firebase without a key":      {cut(firebase("ln=14,r=8,p=1"), "$"+key64), noScrypt},
		"scrypt of Firebase with a short key":   {cut(firebase("ln=14,r=8,p=1"), key64) + key32, noScrypt},

		"argon2id":                             {argon("m=128,t=1,p=16"), ""},
		"argon2id of 64 MiB and 3 passes":      {argon("m=65536,t=3,p=255"), ""},
		"argon2id of 128 MiB":                  {argon("m=131072,t=1,p=1"), ""},
		"argon2id of more than 128 MiB":        {argon("m=131073,t=1,p=1"), "131073 KiB of memory (maximum is 131072)"},
		"argon2id of 128 MiB and 2 passes":     {argon("m=131072,t=2,p=1"), "2 passes over 131072 KiB"},
		"argon2id of 4 passes, as PHP has":     {argon("m=65536,t=4,p=1"), "4 passes over 65536 KiB"},
		"argon2id of 5 passes, as Keycloak":    {argon("m=7168,t=5,p=1"), ""},
		"argon2id of 4 passes, as OWASP":       {argon("m=9216,t=4,p=1"), ""},
		"argon2id of 192 MiB in all":           {argon("m=8,t=24576,p=1"), ""},
		"argon2id of more than 192 MiB in all": {argon("m=8,t=24577,p=1"), "24577 passes over 8 KiB of memory"},
		"argon2id of 2^32-1 passes":            {argon("m=65536,t=4294967295,p=1"), "4294967295 passes over 65536 KiB"},
		"argon2id of too little memory":        {argon("m=127,t=1,p=16"), noArgon},
		"argon2id of no passes":                {argon("m=128,t=0,p=1"), noArgon},
		"argon2id of no threads":               {argon("m=128,t=1,p=0"), noArgon},
		"argon2id of 256 threads":              {argon("m=65536,t=1,p=256"), noArgon},
		"argon2id of 2^32 KiB":                 {argon("m=4294967296,t=1,p=1"), noArgon},
		"argon2id with another order":          {argon("t=1,m=128,p=1"), noArgon},
		"argon2id with another spelling":       {argon("m=0128,t=1,p=1"), noArgon},
		"argon2id with more parameters":        {argon("m=128,t=1,p=1,keyid=x"), noArgon},
		"argon2id of an earlier version":       {"$argon2id$v=16$m=128,t=1,p=1" + saltAndHash, noArgon},
		"argon2id without a version":           {"$argon2id$m=128,t=1,p=1" + saltAndHash, noArgon},
		"argon2id with padding":                {argon2 + "==", noArgon},
		"argon2id with a line break":           {argon2 + "\n", noArgon},
		"argon2id with a short salt":           {strings.Replace(argon2, "WaA$", "WQ$", 1), "a salt of 7 bytes"},
		"argon2id with a short hash":           {strings.TrimSuffix(argon2, "Kw"), "is of 15 bytes (from 16 to"},

		"Django's bcrypt":                       {"bcrypt$" + bcrypted, ""},
		"Django's argon2":                       {"argon2" + argon2, ""},
		"Spring's bcrypt":                       {"{bcrypt}" + bcrypted, ""},
		"Spring's argon2":                       {"{argon2@SpringSecurity_v5_8}" + argon2, ""},
		"bcrypt of an LDAP server":              {"{CRYPT}" + bcrypted, ""},
		"argon2id of an LDAP server":            {"{ARGON2}" + argon2, ""},
		"a prefix, and bcrypt that is cut off":  {"{bcrypt}" + bcrypted[:59], noBcrypt},
		"a prefix, and bcrypt of cost 13":       {"{bcrypt}$2a$13" + bcrypted[6:], "with the cost 13 (maximum is 12)"},
		"a prefix, and what is not taken":       {"{CRYPT}$6$saltsaltsalt$abcdefgh", noKinds},
		"a prefix, and a hash that has none":    {"{CRYPT}" + werkzeug("32768:8:1"), noKinds},
		"a prefix twice":                        {"{bcrypt}{bcrypt}" + bcrypted, noKinds},
		"a prefix that says it is a password":   {"{noop}" + bcrypted, noKinds},
		"a prefix of an LDAP server, not taken": {"{SSHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=", noKinds},
		"a prefix alone":                        {"{bcrypt}", noKinds},
		"WordPress's prefix, of another hash":   {"$wp$2y$10$" + salt22 + hash31, noKinds},

		"argon2i":                              {"$argon2i$v=19$m=128,t=1,p=1" + saltAndHash, noKinds},
		"nothing":                              {"", noKinds},
		"a password":                           {"correct horse battery", noKinds},
		"MD5":                                  {"5f4dcc3b5aa765d61d8327deb882cf99", noKinds},
		"MD5 of crypt":                         {"$1$etNnh7FA$OlM7eljE/B7F1J4XYNnk81", noKinds},
		"SHA-1 as Django writes it":            {"sha1$salt$e5fa44f2b31c1fb553b6021e7360d07d5d91ff5e", noKinds},
		"SHA-512 of crypt":                     {"$6$saltsaltsalt$abcdefgh", noKinds},
		"scrypt as Django writes it":           {"scrypt$16384$seasalt$8$1$Qj3+9PPyRjSJIebHnG81", noKinds},
		"a password that Django says nobody's": {"!kUkZ1dB7hV", noKinds},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := foreignhash.Parse(c.text)
			if c.err == "" {
				expect.Equal(t, err, nil)
				return
			}
			if err == nil {
				t.Fatalf("%s is taken", c.text)
			}
			expect.Contains(t, err.Error(), c.err)
		})
	}
}

// FuzzParse shows that an accepted hash has one spelling and is short, and that the error of a refused one does not
// contain it.
func FuzzParse(f *testing.F) {
	for _, m := range readMade(f) {
		f.Add(m.hash)
	}
	f.Add("$2a$99$QAcBaOhcMyzaOGIBzyR.i.G6HBcQEtKEwW94tLGgZLRh8y.3l/lGu")
	f.Add("pbkdf2_sha256$1000$seasalt$PxhqLNCrbymy/KC761CGdbK/KlZpGB11Ew2vAW/9px4=")
	f.Fuzz(func(t *testing.T, text string) {
		h, err := foreignhash.Parse(text)
		if err != nil {
			expect.Equal(t, h.Kind, "", "kind of what is not taken")
			if len(text) > 40 {
				expect.Lacks(t, err.Error(), text)
			}
			return
		}
		expect.AtMost(t, len(text), 512, "its length")
		for _, other := range []string{text + "\n", text + "=", " " + text, text + "\x00", strings.ToUpper(text)} {
			if _, err := foreignhash.Parse(other); err == nil {
				t.Errorf("%q is taken as well as %q", other, text)
			}
		}
	})
}
