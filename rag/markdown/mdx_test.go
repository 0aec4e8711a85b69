package markdown_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/rag/markdown"
)

// mdx files, and the lines of their text. Those of the second set were put aside while the code was written.
var mdxSets = map[string][][2]string{
	"first": {
		{
			"---\nid: intro\n---\nimport Tabs from '@theme/Tabs';\nimport TabItem from '@theme/TabItem';\n\n## Install\n\n<Tabs>\n" +
				"<TabItem value=\"apt\" label=\"Debian\">\n\n```bash\napt install <Field>\n```\n\n</TabItem>\n</Tabs>\n",
			"---|id: intro|---|## Install|```bash|apt install <Field>|```",
		},
		{"---\ntitle: Tokens\n---\nexport const ttl = 15;\n\n# Tokens\n\nA token.\n", "---|title: Tokens|---|# Tokens|A token."},
		{
			"export const meta = {\n  title: 'A',\n\n  tags: ['b'],\n};\n\n# A\n\n{/* a comment\nof two lines */}\n\nUse `<Tabs>` and <Badge text=\"new > old\" /> here.\n",
			"# A|Use `<Tabs>` and  here.",
		},
		{
			"# Imports\n\nWe import from Debian.\nimport duties apply.\n\nimport duties are paid by the buyer.\n\nexport licences too.\n",
			"# Imports|We import from Debian.|import duties apply.|import duties are paid by the buyer.|export licences too.",
		},
	},
	"second": {
		{
			"import { Callout, Steps } from 'nextra/components'\n\n<Callout type=\"warning\" emoji={<Icon name=\"x\" />}>\n  The pool has 40 connections.\n</Callout>\n",
			"The pool has 40 connections.",
		},
		{
			"import {\n  Card,\n  Cards,\n} from '@/components';\n\n# Cards\n\n<>\n<Cards.Grid\n  columns={2}\n  onClick={() => go()}\n>\n1 < 2 and `a > b` hold.\n</Cards.Grid>\n</>\n",
			"# Cards|1 < 2 and `a > b` hold.",
		},
		{
			"export default function Layout({children}) {\n  return <div>{children}</div>;\n}\n\n# Layout\n\nText with <b>HTML</b>.\n\n~~~mdx\nimport X from 'y'\n<X/>\n~~~\n",
			"# Layout|Text with <b>HTML</b>.|~~~mdx|import X from 'y'|<X/>|~~~",
		},
		{
			"# Types\n\nA List<String> and Map<K, V> differ.\n\nexport * from './b'\n\n- <Since version=\"2.1\"/> Pools close.\n",
			"# Types|A List<String> and Map<K, V> differ.|-  Pools close.",
		},
	},
}

func TestWithoutMDX(t *testing.T) {
	t.Parallel()
	for set, cases := range mdxSets {
		for _, test := range cases {
			got := string(markdown.WithoutMDX([]byte(test[0])))
			var lines []string
			for line := range strings.Lines(got) {
				if text := strings.TrimSpace(line); text != "" {
					lines = append(lines, text)
				}
			}
			if diff := cmp.Diff(test[1], strings.Join(lines, "|")); diff != "" {
				t.Errorf("%s set: -want +got\n%s", set, diff)
			}
			if a, b := strings.Count(test[0], "\n"), strings.Count(got, "\n"); a != b {
				t.Errorf("%d lines have become %d: %q", a, b, got)
			}
		}
	}
}

// It never fails, keeps the number of lines, and is as quick for hostile text.
func FuzzWithoutMDX(f *testing.F) {
	for _, cases := range mdxSets {
		for _, test := range cases {
			f.Add([]byte(test[0]))
		}
	}
	f.Add([]byte(strings.Repeat("<A ", 1000)))
	f.Fuzz(func(t *testing.T, src []byte) {
		got := markdown.WithoutMDX(src)
		if strings.Count(string(src), "\n") != strings.Count(string(got), "\n") {
			t.Errorf("%q has become %q", src, got)
		}
	})
}
