package portal

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// NormalLocale returns the form in which locales are compared and stored with categories. Case makes no difference
// (RFC 5646 section 2.1.1), and neither does - or _ (UTS 35 section 3.1). Answers show the portal's own spelling.
// https://www.rfc-editor.org/rfc/rfc5646.html#section-2.1.1
// https://www.unicode.org/reports/tr35/#Unicode_locale_identifier
func NormalLocale(locale string) string { return strings.ReplaceAll(strings.ToLower(locale), "_", "-") }

// localePattern is a language tag (RFC 5646) as usual in URLs: en, pt_BR, zh-Hant-TW. It is compiled at its first use,
// because only operators need it and functions should start fast.
var localePattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z]{2,3}([_-][A-Za-z0-9]{2,8}){0,3}$`)
})

func checkLocale(locale string) error {
	if !localePattern().MatchString(locale) {
		return fmt.Errorf("%q is not a locale such as en or pt_BR", locale)
	}
	return nil
}

// Offers reports whether a category may move into a locale. It may not move into a former one, but may stay there.
func (p Portal) Offers(locale string) bool { return spelled(p.Locales, locale) != "" }

// Knows reports whether a category may be in a locale.
func (p Portal) Knows(locale string) bool {
	return p.Offers(locale) || spelled(p.FormerLocales, locale) != ""
}

// Spell returns the portal's spelling of a locale. One that the portal never had stays as it is.
func (p Portal) Spell(locale string) string {
	for _, locales := range [][]string{p.Locales, p.FormerLocales} {
		if as := spelled(locales, locale); as != "" {
			return as
		}
	}
	return locale
}

// spelled returns the element of a list that means a locale, or "".
func spelled(locales []string, locale string) string {
	normal := NormalLocale(locale)
	at := slices.IndexFunc(locales, func(l string) bool { return NormalLocale(l) == normal })
	if at < 0 {
		return ""
	}
	return locales[at]
}
