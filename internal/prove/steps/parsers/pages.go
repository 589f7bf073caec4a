package main

import (
	"net/url"
	"strings"
	"time"

	"frontdesk/internal/base/htmlparse"
	"frontdesk/internal/service/mail/contentid"
	"frontdesk/internal/service/mail/placeholder"
	"frontdesk/internal/service/mail/plaintext"
	"frontdesk/internal/service/mail/relativeurl"

	"golang.org/x/net/html"
)

// ofPages read HTML that a caller sends, or that a stranger's server answers.
var ofPages = []parser{
	{
		name: "relativeurl", sizes: [2]int{1000, 4000},
		pieces: []string{
			"<base href='https://e.example/…a…'>", "<base href='https://e.example/…a/…'>", "<base href='…../…'>",
			"<a href=x>", "<a href=..>", "<a href='…../…'>", "<a href='…&#x2F;…'>", "<a href='…a…:b'>",
			"<img srcset='…x,y …'>", "<img srcset='…,…'>", "<img srcset='x …( …'>",
			"<style>…url(x)…</style>", "<p style='…url(&quot;x…'>", "url(", "<style>…url(  …</style>",
			"<p …a …>", "<p …a=/x …>", "<p …=…>", "<!--[if a]>…<a href=x>…<![endif]-->", "<!--", "'", "a",
		},
		read: func(text string) { _, _, _ = relativeurl.Resolve(text, parseURL("https://e.example/x"), 2*len(text)) },
	},
	{
		name: "relativeurl, by the address of a page", sizes: [2]int{1000, 4000},
		pieces: []string{"a", "a/", "../", "%20", "é", "'", "("},
		read: func(text string) {
			page := strings.Repeat("<a href=x><a href=..><a href=../..>", len(text)/30)
			_, _, _ = relativeurl.Resolve(page, parseURL("https://e.example/"+text), 2*len(text))
		},
	},
	{
		name: "contentid", sizes: [2]int{1000, 4000},
		pieces: []string{
			"cid:a ", "cid:", "cid:…a…", "<img src='cid:…a…'>", "<img src='cid:…%61…'>", "<img src=cid:a>",
			"<p style='…url(cid:b)…'>", "<style>…cid:c …</style>", "<img srcset='…cid:d 1x,…'>",
			"<p …b=cid:a …>", "<!--…cid:e …-->", "<!--", ":", "'", "a",
		},
		read: func(text string) { contentid.Find(text, []string{"a", "b", strings.Repeat("a", len(text)/2)}) },
	},
	{
		name: "placeholder", sizes: [2]int{1000, 4000},
		pieces: []string{
			"{", "}", "{A}", "{{A}}", "{B}", "{…B…}", "{…1}{…}", "<!--[if …{C}…-->", "<style>…{…</style>",
			"<a …{A} …>", "<a title='…{D}…'>", "<a href='x…{A}…'>", "<a …href=x{A} …>", "<", ">", "'", "a",
		},
		read: func(text string) {
			known := map[string]bool{"A": true}
			for _, parse := range []func(string, map[string]bool) placeholder.Template{
				placeholder.Parse, placeholder.ParseHTML,
			} {
				_, _ = parse(text, known).Write(2*len(text), placeholder.Values{"A": "b"},
					placeholder.Values{"B": text})
			}
			placeholder.Values{"A": text}.Escaped()
			placeholder.WithinAddresses(text, known)
		},
	},
	{
		name: "placeholder, by lists", sizes: [2]int{1000, 4000},
		pieces: []string{"a,", "b,", "c\n", "\n", "d,e\n"},
		read: func(text string) {
			lists := strings.Split(text, "\n")
			for range placeholder.Gaps(len(lists), func(yield func(int, string) bool) {
				for i, list := range lists {
					seen := map[string]bool{}
					for name := range strings.SplitSeq(list, ",") {
						if !seen[name] && !yield(i, name) {
							return
						}
						seen[name] = true
					}
				}
			}) {
				continue
			}
		},
	},
	ofTree("plaintext, by its tree", [2]int{700, 1400}, piecesOfPages),
	ofTree("plaintext, addresses by its tree", sizesOfAddresses, piecesOfAddresses),
	ofTokens("plaintext, by its tokens", [2]int{250, 1000}, piecesOfTokens),
	ofTokens("plaintext, addresses by its tokens", sizesOfAddresses, piecesOfAddresses),
}

func ofTree(name string, sizes [2]int, pieces []string) parser {
	return parser{
		name: name, sizes: sizes, pieces: pieces,
		read: func(text string) { _, _ = plaintext.FromHTML(text) },
		others: func(text string) (size func() int) {
			doc, err := htmlparse.Parse(text, time.Now().Add(time.Hour))
			if err != nil {
				return func() int { return 0 }
			}
			return func() int { return weight(doc) }
		},
	}
}

// ofTokens reads texts behind what the parser gives up at once.
func ofTokens(name string, sizes [2]int, pieces []string) parser {
	return parser{
		name: name, sizes: sizes, pieces: pieces,
		read: func(text string) { _, _ = plaintext.FromHTML(tooDeep + text) },
		others: func(text string) (size func() int) {
			_, _ = plaintext.FromHTML(tooDeep)
			return func() int { return len(text) }
		},
	}
}

var tooDeep = strings.Repeat("<span>", 520)

// sizesOfAddresses are over the length up to which a text shows addresses.
var sizesOfAddresses = [2]int{2500, 5000}

var piecesOfAddresses = []string{
	"a ", "<a href='…a/../…'>", "<a href=..></a>", "<a href=x>y</a>", "<a href='mailto:…%61@b.org,…'>",
	"<base href='https://e.org/…b…/'>",
}

var piecesOfPages = []string{
	"a ", "&nbsp;", "<p>", "<br>", "<b></b>", "<b>…-…a</b>", "<s>", "<h1>…a …</h1>", "<h1>", "<ul><li>",
	"<ol reversed>",
	"<blockquote>x</blockquote>", strings.Repeat("<blockquote>", 20) + "…<br>a…", "<table>", "<tr>x", "<td>x",
	"<table><tr><td>a<td>", "<tfoot>x", "<a href='…a/../…'>", "<a href=..></a>", "<a href=x>y</a>",
	"<a href='mailto:…%61@b.org,…'>", "<p class='…a …'>", "<p class='a b a'>x",
	"<p style='…font:0/0 a;…'>", "<style>…a,…{float:left}</style>", "<style>…i b i i>…</style>",
	"<style>…@media screen{…</style>", "<style>.a{float:left}…p .b{float:left}…</style>",
	"<style>…#c{display:none}…</style>", "<i id=c …id=a …>", "<img alt='…a …'>", "<pre>…\n…</pre>", "<!--",
	"<template>", "漢", "1<sup>9</sup>",
}

// piecesOfTokens are those whose tokens are read without a tree, and so without regard to style.
var piecesOfTokens = []string{
	"a ", "&nbsp;", "<p>", "<br>", "<b></b>", "<s>", "</s>", "<h1>", "<table>", "<a href='…a/../…'>", "<a href=..></a>",
	"<a href=x>y</a>", "<a href='mailto:…%61@b.org,…'>", "<img alt='…a …'>", "<i …a=b …>", "<style>…{…</style>",
	"<!--", "<title>", "漢", "1<sup>9</sup>",
}

// weight counts the nodes of a tree, and the bytes in them. The parser makes more elements than a page has tags.
func weight(n *html.Node) int {
	size := 10 + len(n.Data)
	for _, a := range n.Attr {
		size += len(a.Key) + len(a.Val)
	}
	for child := range n.ChildNodes() {
		size += weight(child)
	}
	return size
}

func parseURL(address string) *url.URL {
	parsed, err := url.Parse(address)
	if err != nil {
		return &url.URL{Scheme: "https", Host: "e.example", Path: "/x"}
	}
	return parsed
}
