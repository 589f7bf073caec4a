package unsubscribe

import (
	"iter"

	"golang.org/x/text/language"
)

// Pages yields what every page says in every language, by a name for each.
func Pages(list, sender string) iter.Seq2[string, []byte] {
	pages := map[string]page{
		"asking": asking, "done": done, "undone": undone, "kept": kept, "redirected": redirected, "not good": notGood,
		"no form": noForm, "failed": failed,
	}
	return func(yield func(string, []byte) bool) {
		for _, in := range languages {
			for name, p := range pages {
				if !yield(in.String()+", "+name, p.html(mails{list, sender}, in)) {
					return
				}
			}
		}
	}
}

// Wordings returns the texts of all languages.
func Wordings() map[language.Tag]wording { return wordings }
