package architecture

import (
	"path"
	"slices"
	"strings"
	"testing"
)

type rule struct{ pattern, imports string }

// rules lists which packages of the project a package may import. The first rule with a matching pattern counts. A
// pattern is one of [path.Match], or ends in /... for a package and all below it.
var rules = []rule{
	// A function wires its feature and the events of API Gateway together.
	{"functions/send-mail", "internal/api internal/mail"},
	{"functions/*unsubscribe*", "internal/api internal/mail/unsubscribe"},
	{"functions/*-mail*", "internal/api internal/mail/maillog"},
	{"functions/*-categor*", "internal/api internal/category"},
	{"functions/*-member*", "internal/api internal/member"},
	{"functions/docs", "internal/api internal/docs"},
	{"functions/login-page", "internal/api internal/loginpage"},
	{"functions/sign-in", "internal/api internal/user internal/user/signin"},
	{"functions/*", "internal/api internal/user"},

	// The features do not know each other. Within a feature, imports run down only.
	{"internal/mail", "internal/mail/* " + foundation},
	{"internal/mail/delivery", "internal/mail/base64 internal/mail/mailkey internal/mail/redirect " +
		"internal/mail/rejection " + foundation},
	{"internal/mail/mailkey", "internal/mail/compose internal/mail/redirect " + foundation},
	{"internal/mail/maillog", "internal/address/mention internal/mail/mailkey internal/mail/redirect " + foundation},
	{"internal/mail/unsubscribe", "internal/mail/mailkey internal/webpage " + foundation},
	{"internal/mail/fetch", "internal/api"},
	{"internal/mail/compose", "internal/mail/base64 internal/visible"},
	{"internal/mail/base64", ""},
	{"internal/mail/absolute", ""},
	{"internal/mail/contentid", ""},
	{"internal/mail/icalendar", ""},
	{"internal/mail/placeholder", ""},
	{"internal/mail/plaintext", "internal/htmlparse"},
	{"internal/mail/redirect", "internal/address"},
	{"internal/mail/rejection", "internal/api"},
	{"internal/category", "internal/answercache internal/category/changeset internal/category/portal " +
		"internal/category/request internal/category/tree " + foundation},
	{"internal/category/request", "internal/category/changeset internal/category/portal internal/category/tree " +
		foundation},
	{"internal/category/changeset", "internal/category/tree " + foundation},
	{"internal/category/tree", "internal/api internal/id"},
	{"internal/category/portal", "internal/category/changeset " + foundation},
	{"internal/user", "internal/user/foreignhash internal/user/platformapp " + foundation},
	{"internal/user/signin", "internal/user internal/user/attempts " + foundation},
	{"internal/user/attempts", foundation},
	{"internal/user/foreignhash", ""},
	{"internal/user/platformapp", foundation},
	// Members are users of apps, and of portals: this feature stands above the two.
	{"internal/member", "internal/category/portal internal/user/platformapp " + foundation},
	{"internal/docs", "internal/api"},
	{"internal/loginpage", "internal/api internal/webpage"},
	{"internal/webpage", ""},

	// The packages that all features use know no feature.
	{"internal/check", "internal/api internal/table"},
	{"internal/reopen", "internal/api internal/table internal/table/itemjson"},
	{"internal/doctor", "internal/address"},
	{"internal/table", "internal/api internal/awsconf internal/credential internal/id internal/table/itemjson"},
	{"internal/table/itemjson", ""},
	{"internal/transfer", "internal/api internal/id"},
	{"internal/answercache", "internal/api"},
	{"internal/credential", "internal/id"},
	{"internal/address", ""},
	{"internal/address/mention", ""},
	{"internal/api", ""},
	{"internal/awsconf", ""},
	{"internal/htmlparse", ""},
	{"internal/id", ""},
	{"internal/visible", ""},

	// The local stack knows template.yaml, and nothing else of the API.
	{"internal/local", "internal/local/*"},
	{"internal/local/console", "internal/htmlparse internal/local/httpserver internal/local/ses"},
	{"internal/local/account", "internal/local/dynamodb internal/local/eventbridge internal/local/processes " +
		"internal/local/ses internal/local/sqs internal/local/template " + localFoundation},
	{"internal/local/requestlog", "internal/local/gate internal/local/gateway internal/local/lambda " +
		localFoundation},
	{"internal/local/gateway", "internal/local/lambda internal/local/template " + localFoundation},
	{"internal/local/gate", "internal/local/contention internal/local/dynamodb internal/local/iam internal/local/ses " +
		"internal/local/template " + localFoundation},
	{"internal/local/contention", "internal/local/dynamodb " + localFoundation},
	{"internal/local/rebuild", "internal/local/processes internal/local/template " + localFoundation},
	{"internal/local/lambda", "internal/local/processes internal/local/template " + localFoundation},
	{"internal/local/dynamodb", "internal/local/awsform internal/local/iam internal/local/processes " +
		"internal/local/template"},
	{"internal/local/browsertest", "internal/local/processes"},
	{"internal/local/items", "internal/local/dynamodb internal/local/template " + localFoundation},
	{"internal/local/ses", "internal/local/eventbridge internal/local/iam internal/local/template " + localFoundation},
	{"internal/local/sqs", localFoundation},
	{"internal/local/eventbridge", "internal/local/document internal/local/template " + localFoundation},
	{"internal/local/template", "internal/local/document"},
	{"internal/local/template/templatetest", "internal/local/template"},
	{"internal/local/iam", "internal/local/document"},
	{"internal/local/localtest", "internal/local"},
	{"internal/local/*", ""},

	// Packages that know all features are part of no function.
	{"internal/registry", "internal/reopen internal/table internal/mail/... internal/category " +
		"internal/category/portal internal/user internal/user/attempts internal/user/platformapp"},
	{"internal/transfer/exporting", "internal/transfer internal/category/changeset internal/category/portal " +
		"internal/category/tree internal/mail/unsubscribe internal/user " + foundation},
	{"internal/transfer/importing", "internal/transfer internal/category/changeset internal/category/portal " +
		"internal/category/request internal/category/tree internal/mail/unsubscribe internal/registry internal/user " +
		foundation},
	{"internal/person", "internal/address/mention internal/user " + foundation},
	{"internal/cmd/frontdesk/operator", "internal/cmd/frontdesk/commandline internal/category " +
		"internal/category/portal " +
		"internal/mail/mailkey internal/mail/redirect internal/mail/unsubscribe internal/registry " +
		"internal/reopen internal/transfer/... internal/user internal/user/platformapp " + foundation},
	{"internal/cmd/frontdesk/client", "internal/cmd/frontdesk/commandline internal/cmd/frontdesk/target " +
		"internal/category/portal internal/mail/mailkey internal/user/platformapp"},
	{"internal/cmd/frontdesk/events", "internal/cmd/frontdesk/commandline internal/cmd/frontdesk/target"},
	{"internal/cmd/frontdesk/person", "internal/cmd/frontdesk/commandline internal/cmd/frontdesk/events " +
		"internal/cmd/frontdesk/target internal/person internal/registry internal/table"},
	{"internal/cmd/frontdesk/suppression", "internal/cmd/frontdesk/commandline internal/cmd/frontdesk/target " +
		"internal/address"},
	{"internal/cmd/frontdesk/target", "internal/cmd/frontdesk/commandline " + foundation},
	{"internal/cmd/frontdesk/commandline", "internal/visible"},
	{"internal/cmd/frontdesk/commandline/terminaltest", ""},
	{"internal/docs/contracttest", "internal/docs"},
	{"internal/expect", ""},
	{"internal/fixture", "internal/..."},
	{"internal/stress", "internal/..."},
	{"internal/cmd/frontdesk", "internal/..."},
	{"internal/cmd/frontdesk/demo", "internal/cmd/frontdesk/commandline internal/cmd/frontdesk/seed " +
		"internal/cmd/frontdesk/target internal/local " +
		"internal/local/console internal/local/items internal/category/changeset internal/category/portal " +
		"internal/category/tree " +
		"internal/mail/mailkey internal/user internal/user/platformapp " + foundation},
	{"internal/cmd/frontdesk/seed", ""},
	{"internal/architecture", ""},
	{"internal/deploy", ""},
	{"internal/matrix", ""},
}

const (
	foundation = "internal/address internal/api internal/awsconf internal/credential internal/id internal/table " +
		"internal/visible"
	localFoundation = "internal/local/awsform internal/local/httpserver"
)

// TestPackagesImportOnlyWhatTheyMay compares every import with the rules. A rule that no package needs fails it, too.
func TestPackagesImportOnlyWhatTheyMay(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for _, p := range list(t, "./...") {
		name := strings.TrimPrefix(p.ImportPath, module)
		i := slices.IndexFunc(rules, func(r rule) bool { return matches(r.pattern, name) })
		if i < 0 {
			t.Errorf("no rule says what %s may import", name)
			continue
		}
		used[rules[i].pattern] = true
		allowed := strings.Fields(rules[i].imports)
		for _, imported := range p.Imports {
			other, ours := strings.CutPrefix(imported, module)
			if ours && !slices.ContainsFunc(allowed, func(pattern string) bool { return matches(pattern, other) }) {
				t.Errorf("%s may not import %s", name, other)
			}
		}
	}
	for _, r := range rules {
		if !used[r.pattern] {
			t.Errorf("the rule for %s is of no package", r.pattern)
		}
	}
}

// matches reports whether a pattern matches a package, see [rules].
func matches(pattern, name string) bool {
	if tree, ok := strings.CutSuffix(pattern, "/..."); ok {
		return name == tree || strings.HasPrefix(name, tree+"/")
	}
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}

// TestPackagesLinkNothingElse: these packages link only the listed modules of others, directly or through
// other packages.
func TestPackagesLinkNothingElse(t *testing.T) {
	t.Parallel()
	for name, allowed := range map[string][]string{
		"internal/mail/compose": {},
		"internal/docs": {
			"github.com/aws/aws-lambda-go", "github.com/go-json-experiment/json", "github.com/swaggest/swgui",
			"golang.org/x/sync",
		},
		"internal/loginpage": {
			"github.com/aws/aws-lambda-go", "github.com/go-json-experiment/json", "golang.org/x/sync",
		},
	} {
		for _, dependency := range list(t, "-deps", "./"+name) {
			if m := dependency.Module; m != nil && m.Path+"/" != module && !slices.Contains(allowed, m.Path) {
				t.Errorf("%s links %s", name, dependency.ImportPath)
			}
		}
	}
}
