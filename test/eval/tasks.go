package main

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

// aboutQuery is a line of tasks/*.jsonl and titles/*.jsonl: a query with the documents that it needs, none for a
// query that no document answers.
type aboutQuery struct {
	query

	About []string `json:"about"`
	// Alias is another name that the first of these documents gets in its front matter.
	Alias string `json:"alias"`
}

// promptSet is a file of prompts, and in how large projects they are asked beside the whole one.
type promptSet struct {
	file  string
	sizes []int
}

// promptSets are the sets of prompts. The rule of shortlists was tuned on the tasks.
func promptSets() []promptSet {
	return []promptSet{
		{"tasks/own.jsonl", []int{15, 5}},
		{"tasks/demo.jsonl", []int{15, 5}},
		{"tasks/third.jsonl", []int{15, 5}},
		{"tasks/fourth.jsonl", []int{15, 5}},
		{"titles/demo.jsonl", []int{15, 5, 2}},
	}
}

// promptProjects are the projects that sets are about.
var promptProjects = map[string]string{
	"own": folder + "/corpus", "demo": "examples/demo-project", "third": folder + "/third", "fourth": folder + "/fourth",
}

// promptTask returns the prompts of a file about the documents of a project, and everyday prompts.
func promptTask(root, file string) (task, error) {
	kind, set := path.Split(strings.TrimSuffix(file, path.Ext(file)))
	c := &collection{Name: path.Clean(kind) + "-" + set, Judged: map[string]judgements{}}
	if err := c.readProject(path.Join(root, promptProjects[set])); err != nil {
		return task{}, fmt.Errorf("read the documents of %s: %w", file, err)
	}
	c.Config = map[string]any{"documents": map[string]any{"folder": documentsFolder, "lenient": true}}
	known := map[string]bool{}
	for _, d := range c.Documents {
		known[d.Path] = true
	}
	err := eachLine(path.Join(root, folder, file), func(line []byte) error {
		var q aboutQuery
		if err := json.Unmarshal(line, &q); err != nil {
			return fmt.Errorf("want a JSON object with _id, text, kind and about: %w", err)
		}
		c.Queries, c.Judged[q.ID] = append(c.Queries, q.query), judgements{}
		for i, about := range q.About {
			about = path.Join(documentsFolder, about)
			if !known[about] {
				return fmt.Errorf("%s is about the unknown document %s", q.ID, about)
			}
			c.Judged[q.ID][about] = len(q.About) - i
			if at := slices.IndexFunc(c.Documents, func(d document) bool { return d.Path == about }); i == 0 && q.Alias != "" {
				c.Documents[at].Text = "---\naliases: [" + strconv.Quote(q.Alias) + "]\n" + strings.TrimPrefix(c.Documents[at].Text, "---\n")
			}
		}
		return nil
	})
	if err != nil {
		return task{}, err
	}
	everyday, err := readOthers(path.Join(root, folder, "everyday.jsonl"))
	for i := range everyday {
		everyday[i].Kind = firstEveryday
	}
	return task{c, everyday}, err
}
