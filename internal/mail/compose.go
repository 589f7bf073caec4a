package mail

// attached is an attachment that was fetched.
type attached struct {
	name        string
	contentType string
	cid         string
	body        []byte
}

// compose builds the MIME tree of a mail:
//
//	multipart/mixed                 if there are attachments
//	├─ multipart/alternative        if there are both HTML and plain text
//	│  ├─ text/plain
//	│  └─ multipart/related         if the HTML has files of its own, by their cid
//	│     ├─ text/html
//	│     └─ image/png, inline …
//	└─ application/pdf, attachment …
func compose(c content, files []attached) *part {
	var inline, apart []*part
	for _, f := range files {
		if f.cid != "" && c.html != nil {
			inline = append(inline, newFile("inline", f))
		} else {
			apart = append(apart, newFile("attachment", f))
		}
	}
	root := body(c, inline)
	if len(apart) > 0 {
		root = newMultipart("mixed", append([]*part{root}, apart...)...)
	}
	return root
}

// body builds what a mail reader shows. Of an alternative it shows the last part that it can (RFC 2046
// section 5.1.4), so the plain text comes first.
func body(c content, inline []*part) *part {
	if c.html == nil {
		text := ""
		if c.text != nil {
			text = *c.text
		}
		return newText("plain", text)
	}
	root := newText("html", *c.html)
	if len(inline) > 0 {
		root = newRelated(root, inline...)
	}
	if c.text != nil {
		root = newMultipart("alternative", newText("plain", *c.text), root)
	}
	return root
}

func newFile(disposition string, f attached) *part {
	if f.body == nil {
		f.body = []byte{}
	}
	return &part{
		contentType: f.contentType,
		disposition: parameterized(disposition, "filename", f.name),
		cid:         f.cid,
		file:        f.body,
	}
}
