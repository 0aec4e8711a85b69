package rank

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/compound-docs/compound-docs/rag/terms"
)

// SampleSize is the number of passages from which term frequencies come. On six judged collections, a search with the
// frequencies of a sample is as good as a search with the true frequencies.
const SampleSize = 2000

// Sample has the terms of SampleSize passages of a project, or of all passages if there are fewer. The passages come
// from all branches, so that a passage has the same score on each branch. A Sample is immutable.
type Sample struct {
	// places maps each term to the numbers of the sampled passages that have the term.
	places map[int32][]uint16
	// Size is the number of passages in the sample. passages estimates the number of passages in the project.
	Size, passages int
	// Version is the project's version when the sample was read.
	Version int64
	// complete says that the sample has all passages of the project.
	complete bool
}

// NewSample reads the terms of the sampled passages. In sampled, the terms are decimal numbers, with a comma between
// two terms of a passage and a semicolon between two passages. size is the number of passages, lastHash their largest
// hash, and version the project's version.
func NewSample(sampled string, size int, lastHash string, version int64) (*Sample, error) {
	const bytesPerTerm = 50 // an estimate, because growing a large map is slow
	s := &Sample{places: make(map[int32][]uint16, len(sampled)/bytesPerTerm), Size: size, passages: size, Version: version}
	passage := uint16(0)
	for list := range strings.SplitSeq(sampled, ";") {
		for text := range strings.SplitSeq(list, ",") {
			if text == "" {
				continue // a passage without terms
			}
			term, err := strconv.ParseInt(text, 10, 32)
			if err != nil {
				return nil, fmt.Errorf("read the terms of a passage: %w", err)
			}
			s.places[int32(term)] = append(s.places[int32(term)], passage)
		}
		passage++
	}
	if s.Size == SampleSize {
		// The sample has the passages with the smallest hashes. Hashes are spread evenly, so the sample's largest hash shows
		// how many passages there are, with an error of approximately two percent (Bar-Yossef et al. 2002).
		last, err := uuid.Parse(lastHash)
		if err != nil {
			return nil, fmt.Errorf("read the hash of a passage: %w", err)
		}
		share := float64(max(binary.BigEndian.Uint64(last[:8]), 1)) / math.MaxUint64
		s.passages = max(s.passages, int(min(float64(s.Size)/share, math.MaxInt32)))
	}
	return s, nil
}

// At returns a copy of the sample for a version of the project: complete only if it has all passages of that version.
func (s *Sample) At(version int64) *Sample {
	now := *s
	now.complete = s.Size < SampleSize && s.Version == version
	return &now
}

// Equals reports whether both samples are of one version of the project, and are equally complete.
func (s *Sample) Equals(other *Sample) bool {
	return other != nil && s.Version == other.Version && s.complete == other.complete
}

// Frequency is how many passages of the sample have the term.
func (s *Sample) Frequency(term int32) int { return len(s.places[term]) }

// These constants bound how many passages the rare terms of a query may match. Only these passages are scored, by all
// terms of the query. A passage with only frequent terms is not read. On six judged collections, nDCG@10 is .002 lower
// with a bound of 30 % of the passages, and .021 lower with 10 %. For a query of longQuery terms or more, 10 % is no
// worse than 30 %. With abstracts pasted into the questions of CACM, nDCG@10 with 10 % and 30 % is .066 and .060 for
// approximately 65 terms, and .472 and .469 for 200 terms.
const (
	maxMatchShare, maxLongShare = 0.3, 0.1
	longQuery                   = 60
	maxMatches                  = 5000
	minMaxMatches               = 1000
)

// maxMatches returns how many passages the rare terms of a query may match.
func (s *Sample) maxMatches(query terms.Query) float64 {
	share := maxMatchShare
	if len(query.Terms) >= longQuery {
		share = maxLongShare
	}
	return max(minMaxMatches, min(share*float64(s.passages), maxMatches))
}

// matches estimates how many passages of the project have a term that has this frequency in the sample.
func (s *Sample) matches(frequency int) float64 {
	return float64(frequency) / float64(max(s.Size, 1)) * float64(s.passages)
}

// rarest returns how many passages of the sample have the query's rarest term. It returns false if the project has none
// of the terms. If the sample is incomplete, the project may have a term that the sample lacks.
func (s *Sample) rarest(query terms.Query) (frequency int, ok bool) {
	for _, term := range query.Terms {
		f := s.Frequency(term.Hash)
		if f == 0 && s.complete {
			continue
		}
		if !ok || f < frequency {
			frequency, ok = f, true
		}
	}
	return frequency, ok
}

// rareTerms returns the rarest terms of the query. A search by words reads the passages that have one of these terms.
// There are at most limit such passages, except if the rarest term alone is in more passages.
func (s *Sample) rareTerms(query terms.Query, limit float64) []int32 {
	byRarity := make([]int32, len(query.Terms))
	for i, term := range query.Terms {
		byRarity[i] = term.Hash
	}
	slices.SortStableFunc(byRarity, func(a, b int32) int { return cmp.Compare(s.Frequency(a), s.Frequency(b)) })
	matched, count := make([]bool, math.MaxUint16+1), 0 // by the number of a passage
	for n, term := range byRarity {
		for _, passage := range s.places[term] {
			if !matched[passage] {
				matched[passage] = true
				count++
			}
		}
		if n > 0 && s.matches(count) > limit {
			return byRarity[:n]
		}
	}
	return byRarity
}
