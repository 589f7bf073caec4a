package doctor

import (
	"regexp"
	"strings"
)

// mend is what to do about a finding: in words, by commands for a shell, or by both.
type mend struct{ words, command string }

// do is a mend that no command does.
func do(words string) mend { return mend{words: words} }

// after says what the command of a mend is for.
func (m mend) after(words string) mend { return mend{words, m.command} }

// then is a mend with another's command, once its own has succeeded.
func (m mend) then(next mend) mend { return mend{m.words, m.command + " && " + next.command} }

// below is a mend with another's command on a line of its own, which needs what the first has printed.
func (m mend) below(next mend) mend { return mend{m.words, m.command + "\n" + next.command} }

// region is the region of a deployment. The operator's AWS CLI may be set to another.
type region string

// aws is a command of the AWS CLI in the region.
func (r region) aws(command string) mend {
	return mend{command: "aws --region " + string(r) + " " + command}
}

// deploy is how to deploy a stack. It does not give the stack's name: with --stack-name, sam deploy would take the
// parameters of samconfig.toml's default environment, which may belong to another stack.
func (r region) deploy() mend {
	return mend{"deploy it", "sam build && sam deploy --region " + string(r) + " --config-env '<its environment>'"}
}

// update is how to give the stack a parameter. The parameter stands in samconfig.toml, from which every later
// deployment takes it: one that was set by another way would be undone by the next.
func (r region) update(parameter, value string) mend {
	return r.deploy().after("set " + quote(parameter+"="+value) + " in its parameter_overrides, and deploy it")
}

// quote returns a text as one word for a shell.
func quote(text string) string {
	if plain.MatchString(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// plain matches words in which no shell sees a special character.
var plain = regexp.MustCompile(`^[\w@%+=:,./-]+$`)
