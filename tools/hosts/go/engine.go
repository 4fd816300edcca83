// Package libengine turns texts into vectors on CPUs: transformer encoders by the C library libengine, without cgo.
package libengine

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sort"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"libengine/api"
)

// Error is an error of the library, with its words.
type Error struct {
	Status  api.Status
	Index   int // of the input that caused it, or -1
	Message string
}

func (e *Error) Error() string { return e.Message }

// ErrClosed is the error of calls after Close.
var ErrClosed = errors.New("libengine: the encoder is closed: open another one")

// Input is a text; with Pair, two; or IDs alone, which are used as they are.
type Input struct {
	Text, Pair string
	IDs        []int32
}

// Options of a call; nil and the zero value are as the model says.
type Options struct {
	Role       api.Role // chooses the model's prompt
	Prompt     *string  // one of the model, by its name; "": none
	Dimensions int      // columns of vectors; 0: all
	Normalize  bool
	OnLong     api.OnLong // what becomes of a text that is longer than the model takes
}

// Hit is a text of Rank, or a row of Search.
type Hit struct {
	Index int
	Score float32
}

// Token has its span in bytes of the text, or with InPair of the second one.
type Token struct {
	Text            string
	ID              int32
	Begin, End      int
	Special, InPair bool
}

// Encoder is a model, opened from a weight file. Any number of goroutines may share it: each call has a session.
type Encoder struct {
	Width  int      // columns of vectors
	Labels []string // of a classifier
	held   *held
	metric api.Metric
}

// What is freed when the encoder is closed or forgotten, and no call uses it.
type held struct {
	mutex    sync.Mutex
	model    unsafe.Pointer
	sessions []unsafe.Pointer
	running  int
	closed   bool
	threads  uintptr
}

func (h *held) close() {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.closed = true
	h.free()
}

func (h *held) free() {
	if h.closed && h.running == 0 && h.model != nil {
		for _, session := range h.sessions {
			api.SessionFree(session)
		}
		api.ModelClose(h.model)
		h.model = nil
	}
}

func (h *held) take() (session unsafe.Pointer, err error) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if h.closed {
		return nil, ErrClosed
	}
	if n := len(h.sessions); n > 0 {
		session, h.sessions = h.sessions[n-1], h.sessions[:n-1]
	} else {
		var failed api.Error
		options := api.SessionOptions{NThreads: h.threads}
		options.StructBytes = unsafe.Sizeof(options)
		err = errorOf(api.SessionNew(h.model, &options, &session, &failed), &failed)
	}
	if err == nil {
		h.running++
	}
	return session, err
}

func (h *held) give(session unsafe.Pointer) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.sessions = append(h.sessions, session)
	h.running--
	h.free()
}

// Folder of libengine.so.1 and default.weights: LIBENGINE_FOLDER, else that of the program, if it has the library.
func folder() string {
	program, _ := os.Executable()
	for _, folder := range []string{os.Getenv("LIBENGINE_FOLDER"), filepath.Dir(program)} {
		if _, err := os.Stat(filepath.Join(folder, "libengine.so.1")); folder != "" && err == nil {
			return folder + "/"
		}
	}
	return ""
}

var load = sync.OnceValue(func() error { return api.Load(folder() + "libengine.so.1") })

// Open opens a weight file; "": the file that ENCODE_MODEL names, else the default weights. threads: of each call; 0: all
// CPUs.
func Open(path string, threads int) (*Encoder, error) {
	if err := load(); err != nil {
		return nil, err
	}
	beside := folder() + "default.weights"
	if _, err := os.Stat(beside); path == "" && folder() != "" && os.Getenv("ENCODE_MODEL") == "" && err == nil {
		path = beside
	}
	var name *byte
	if path != "" {
		name = utf8(path)
	}
	var failed api.Error
	e := &Encoder{held: &held{threads: uintptr(threads)}}
	if err := errorOf(api.ModelOpen(name, nil, &e.held.model, &failed), &failed); err != nil {
		return nil, err
	}
	runtime.AddCleanup(e, (*held).close, e.held)
	var info api.Info
	info.StructBytes = unsafe.Sizeof(info)
	if err := errorOf(api.ModelInfo(e.held.model, &info, &failed), &failed); err != nil {
		return nil, err
	}
	e.Width = int(info.OutputWidth)
	for i := range info.NLabels {
		e.Labels = append(e.Labels, api.Label(e.held.model, i))
	}
	none, shape := "", sizedShape()
	api.ShapeOf(e.held.model, optionsOf(&Options{Prompt: &none}, api.ENGINE_POOLING_MODEL), shape, nil) // or cosine
	e.metric = shape.Metric
	return e, nil
}

// Close frees the model when the calls that run have ended; a forgotten encoder is freed with the garbage.
func (e *Encoder) Close() { e.held.close() }

func utf8(text string) *byte { return &append([]byte(text), 0)[0] }

func sizedShape() *api.Shape { return &api.Shape{StructBytes: unsafe.Sizeof(api.Shape{})} }

func errorOf(status api.Status, failed *api.Error) error {
	if status == api.ENGINE_OK {
		return nil
	}
	n := 0
	for failed.Message[n] != 0 {
		n++
	}
	index := int(failed.Input)
	return &Error{status, max(index, -1), string(failed.Message[:n])}
}

func optionsOf(o *Options, pooling api.Pooling) *api.EncodeOptions {
	made := &api.EncodeOptions{StructBytes: unsafe.Sizeof(api.EncodeOptions{}), Pooling: pooling}
	if o != nil {
		made.Role, made.OnLong, made.Dimensions = o.Role, o.OnLong, uintptr(o.Dimensions)
		if o.Normalize {
			made.Normalize = 1
		}
		if o.Prompt != nil {
			made.Prompt = utf8(*o.Prompt)
		}
	}
	return made
}

func inputsOf(inputs []Input) []api.Input { // one more, so that the first always has an address
	made := make([]api.Input, len(inputs)+1)
	for i, input := range inputs {
		if input.IDs != nil {
			made[i].Ids, made[i].NIds = unsafe.SliceData(input.IDs), uintptr(len(input.IDs))
			continue
		}
		made[i].Text, made[i].TextLen = unsafe.StringData(input.Text), uintptr(len(input.Text))
		if input.Pair != "" {
			made[i].Pair, made[i].PairLen = unsafe.StringData(input.Pair), uintptr(len(input.Pair))
		}
	}
	return made
}

func textsOf(texts []string) []Input {
	inputs := make([]Input, len(texts))
	for i, text := range texts {
		inputs[i].Text = text
	}
	return inputs
}

// Calls f with a session, and interrupts it when ctx is done.
func (e *Encoder) call(ctx context.Context, f func(session unsafe.Pointer) api.Status) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	session, err := e.held.take()
	if err != nil {
		return err
	}
	defer e.held.give(session)
	defer runtime.KeepAlive(e)
	var done atomic.Bool
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		for ; !done.Load(); time.Sleep(time.Millisecond) { // again: the call may not have begun
			api.SessionInterrupt(session)
		}
		close(ended)
	})
	status := f(session)
	done.Store(true)
	if !stop() {
		<-ended
	}
	if status == api.ENGINE_ERROR_INTERRUPTED {
		return ctx.Err()
	}
	return errorOf(status, api.SessionError(session))
}

func (e *Encoder) rows(ctx context.Context, inputs []Input, o *Options, pooling api.Pooling) ([][]float32, error) {
	given, settings, shape, n := inputsOf(inputs), optionsOf(o, pooling), sizedShape(), uintptr(len(inputs))
	results, values, needed := make([]api.Result, n+1), []float32{}, uintptr(0)
	var failed error
	err := e.call(ctx, func(session unsafe.Pointer) api.Status {
		var details api.Error
		if failed = errorOf(api.ShapeOf(e.held.model, settings, shape, &details), &details); failed != nil {
			return api.ENGINE_OK
		}
		if shape.PerToken == 0 {
			values = make([]float32, n*shape.Width)
		}
		for {
			status := api.Encode(session, &given[0], n, settings, unsafe.SliceData(values), uintptr(len(values)), &needed, &results[0])
			if status != api.ENGINE_ERROR_BUFFER {
				return status
			}
			values = make([]float32, needed)
		}
	})
	runtime.KeepAlive(inputs)
	if err := errors.Join(err, failed); err != nil {
		return nil, err
	}
	rows, begin := make([][]float32, n), uintptr(0)
	for i := range rows {
		end := (uintptr(i) + 1) * shape.Width
		if shape.PerToken != 0 {
			end = results[i+1].Row * shape.Width
		}
		if i == len(rows)-1 {
			end = uintptr(len(values))
		}
		rows[i], begin = values[begin:end:end], end
	}
	return rows, nil
}

// Encode returns a vector for each text.
func (e *Encoder) Encode(ctx context.Context, texts []string, o *Options) ([][]float32, error) {
	return e.EncodeInputs(ctx, textsOf(texts), o)
}

// EncodeInputs returns a vector for each text, pair or list of ids.
func (e *Encoder) EncodeInputs(ctx context.Context, inputs []Input, o *Options) ([][]float32, error) {
	return e.rows(ctx, inputs, o, api.ENGINE_POOLING_TEXT)
}

// Classify returns scores of Labels for each input; of a model that labels tokens, those of all its tokens.
func (e *Encoder) Classify(ctx context.Context, inputs []Input, o *Options) ([][]float32, error) {
	return e.rows(ctx, inputs, o, api.ENGINE_POOLING_LABELS)
}

// Rank returns texts by how well they answer a query, best first: by cross-encoder or vectors, as the model does it.
func (e *Encoder) Rank(ctx context.Context, query string, texts []string, o *Options) ([]Hit, error) {
	asked, given, settings := inputsOf([]Input{{Text: query}}), inputsOf(textsOf(texts)), optionsOf(o, api.ENGINE_POOLING_MODEL)
	scores := make([]float32, len(texts)+1)
	settings.NCut = new(uintptr) // so that the model's file decides about long texts
	err := e.call(ctx, func(session unsafe.Pointer) api.Status {
		return api.Rank(session, &asked[0], &given[0], uintptr(len(texts)), settings, &scores[0])
	})
	hits := make([]Hit, len(texts))
	for i := range hits {
		hits[i] = Hit{i, scores[i]}
	}
	sort.SliceStable(hits, func(a, b int) bool { return hits[a].Score > hits[b].Score })
	return hits, err
}

// Tokenize returns the tokens of an input, uncut, without a prompt.
func (e *Encoder) Tokenize(input Input) ([]Token, error) {
	none, needed := "", uintptr(64)
	given, settings, found := inputsOf([]Input{input}), optionsOf(&Options{Prompt: &none}, 0), []api.Token{}
	tokens := []Token{}
	err := e.call(context.Background(), func(session unsafe.Pointer) (status api.Status) {
		for status = api.ENGINE_ERROR_BUFFER; status == api.ENGINE_ERROR_BUFFER; {
			found = make([]api.Token, needed+1)
			status = api.Tokenize(session, &given[0], settings, &found[0], needed, &needed, nil)
		}
		for i := uintptr(0); status == api.ENGINE_OK && i < needed; i++ {
			t, text, length := found[i], (*byte)(nil), uintptr(0)
			api.TokenText(e.held.model, t.Id, &text, &length)
			tokens = append(tokens, Token{string(unsafe.Slice(text, length)), t.Id, int(t.Begin), int(t.End), t.Special != 0, t.InPair != 0})
		}
		return status
	})
	return tokens, err
}

// Similarity returns the score of two vectors of one width by the model's metric: the larger, the nearer.
func (e *Encoder) Similarity(a, b []float32) float64 {
	return api.Similarity(e.metric, unsafe.SliceData(a), unsafe.SliceData(b), uintptr(min(len(a), len(b))))
}

// Search returns the k nearest of the rows for each query, exactly, by the model's metric.
func (e *Encoder) Search(rows, queries [][]float32, k int) ([][]Hit, error) {
	width, k := 0, min(k, len(rows))
	if k < 1 || len(queries) == 0 {
		return make([][]Hit, len(queries)), nil
	}
	width = len(rows[0])
	var flat []float32
	for _, row := range append(rows[:len(rows):len(rows)], queries...) {
		if flat = append(flat, row...); len(row) != width {
			return nil, errors.New("libengine: vectors have different widths")
		}
	}
	vectors := api.Vectors{Rows: unsafe.Pointer(unsafe.SliceData(flat)), N: uintptr(len(rows)), Width: uintptr(width)}
	options := api.SearchOptions{StructBytes: unsafe.Sizeof(api.SearchOptions{}), Metric: e.metric, NThreads: e.held.threads}
	found, failed := make([]api.Hit, k*len(queries)), api.Error{}
	status := api.Search(&vectors, unsafe.SliceData(flat[len(rows)*width:]), uintptr(len(queries)), uintptr(k), &options, &found[0], &failed)
	hits := make([][]Hit, len(queries))
	for i, hit := range found {
		hits[i/k] = append(hits[i/k], Hit{int(hit.Row), hit.Score})
	}
	return hits, errorOf(status, &failed)
}
