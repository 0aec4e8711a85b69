package tinymodel

import (
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/ollama/ollama/fs/ggml"
)

// Properties of the chat model that callers rely on.
const (
	ChatWindow = 32768 // tokens, as Mistral 7B's

	// ChatTemplate is the prompt template to create the model with. No prompt may end with a part
	// of ChatAnswer.
	ChatTemplate = `[INST] {{ if .System }}{{ .System }} {{ end }}{{ .Prompt }} [/INST]`

	// ChatAnswer is the model's answer to everything.
	ChatAnswer = "This answer comes from the tiny stand-in model of tests and demo: it reads nothing, so ask a real one."
)

// answerTokens is ChatAnswer in tokens, all different, so that each token determines its successor.
func answerTokens() []string {
	marked := strings.ReplaceAll(ChatAnswer, " ", wordStart)
	return regexp.MustCompile(wordStart+`?[A-Za-z]+|[-:,.]`).FindAllString(marked, -1)
}

const chatDimensions = 64 // more than answerTokens

// WriteChat writes a chat model of the architecture llama that answers every prompt with
// ChatAnswer, at any temperature, one word at a time.
//
// Attention and feed-forward weights are zero, so that the next token depends only on the last one.
// Each token of the answer has one dimension, and all other tokens share one. The output layer
// turns a dimension into the token that follows. Prompts are tokenised into English words, letters
// and bytes, at lengths near enough to a real model's.
func WriteChat(file *os.File) error {
	pieces, index, end := chatPieces()
	answer := answerTokens()
	const confidence = 4 // the logit of the next token is 8 times this, of all others 0
	embedding, output := make([]float32, chatDimensions*len(pieces)), make([]float32, chatDimensions*len(pieces))
	for i := range pieces {
		embedding[chatDimensions*i] = 1
	}
	for i, token := range answer {
		row := chatDimensions * index[token]
		embedding[row], embedding[row+i+1] = 0, 1
		output[row+i] = confidence
	}
	output[chatDimensions*end+len(answer)] = confidence

	metadata := ggml.KV{
		"general.name":                           "stand-in for mistral",
		"general.file_type":                      tensorF32,
		"llama.block_count":                      uint32(1),
		"llama.context_length":                   uint32(ChatWindow),
		"llama.embedding_length":                 uint32(chatDimensions),
		"llama.feed_forward_length":              uint32(chatDimensions),
		"llama.attention.head_count":             uint32(1),
		"llama.attention.head_count_kv":          uint32(1),
		"llama.attention.layer_norm_rms_epsilon": float32(1e-5),
		"llama.rope.dimension_count":             uint32(chatDimensions),
		"llama.vocab_size":                       uint32(len(pieces)), //nolint:gosec // some thousands
		"tokenizer.ggml.model":                   "llama",
		"tokenizer.ggml.unknown_token_id":        uint32(0),
		"tokenizer.ggml.bos_token_id":            uint32(1),
		"tokenizer.ggml.eos_token_id":            uint32(end), //nolint:gosec // as chatPieces has it
	}
	shape := []uint64{chatDimensions, uint64(len(pieces))}
	tensors := []*ggml.Tensor{
		floats("token_embd.weight", embedding, shape...),
		floats("output.weight", output, shape...),
		constant("output_norm.weight", 1, chatDimensions),
		constant("blk.0.attn_norm.weight", 1, chatDimensions),
		constant("blk.0.ffn_norm.weight", 1, chatDimensions),
	}
	for _, layer := range []string{"attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"} {
		tensors = append(tensors, zeros("blk.0."+layer+".weight", chatDimensions, chatDimensions))
	}
	return writeModel(file, "llama", pieces, metadata, tensors)
}

// chatPieces returns the tokens of the chat model, the index of each, and the token that ends an
// answer. Beside the answer they are bytes, printable ASCII, and the words of the vocabulary with
// all their beginnings. The tokeniser merges two neighbouring tokens as long as they make a third,
// so a word grows letter by letter from its beginning.
func chatPieces() (pieces []piece, index map[string]int, end int) {
	l := &pieceList{known: map[string]struct{}{}}
	for _, text := range []string{"<unk>", "<s>", "</s>"} {
		l.add(text, "", 0)
	}
	end = len(l.pieces) - 1
	for b := range 256 {
		l.add(fmt.Sprintf("<0x%02X>", b), "", 0)
	}
	for i := range l.pieces {
		l.pieces[i].kind = tokenByte
	}
	l.pieces[0].kind, l.pieces[1].kind, l.pieces[end].kind = tokenUnknown, tokenControl, tokenControl
	for _, token := range answerTokens() {
		l.add(token, "", 0)
	}
	l.add(wordStart, "", 0)
	for c := '!'; c <= '~'; c++ {
		l.add(string(c), "", 0)
	}
	for _, word := range allWords() {
		for n := range len(word) {
			l.add(wordStart+word[:n+1], "", 0)
		}
	}
	index = make(map[string]int, len(l.pieces))
	for i, p := range l.pieces {
		index[p.text] = i
	}
	return l.pieces, index, end
}
