// Makes the calls of a table, see language.sh: go_uses CASES FOLDER
package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"libengine"
	"libengine/api"
)

var start = time.Now()

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func lines(file string) []string {
	return strings.Split(strings.TrimSuffix(string(must(os.ReadFile(file))), "\n"), "\n")
}

func inputs(given []string, of func(line string) libengine.Input) []libengine.Input {
	made := []libengine.Input{}
	for _, line := range given {
		made = append(made, of(line))
	}
	return made
}

func encoded(rows [][]float32) []byte {
	var out bytes.Buffer
	for _, row := range rows {
		binary.Write(&out, binary.LittleEndian, row)
	}
	return out.Bytes()
}

func memory() int {
	runtime.GC()
	return 4096 * must(strconv.Atoi(strings.Fields(string(must(os.ReadFile("/proc/self/statm"))))[1]))
}

func said(condition bool, yes, no string) []byte {
	if condition {
		return []byte(yes + "\n")
	}
	return []byte(no + "\n")
}

func answer(call string, e *libengine.Encoder, file string, o *libengine.Options, first float64) ([]byte, error) {
	ctx, given := context.Background(), lines(file)
	text := func(line string) libengine.Input { return libengine.Input{Text: line} }
	switch call {
	case "encode":
		rows, err := e.Encode(ctx, given, o)
		return encoded(rows), err
	case "pairs":
		rows, err := e.EncodeInputs(ctx, inputs(given, func(line string) libengine.Input {
			text, pair, _ := strings.Cut(line, "\t")
			return libengine.Input{Text: text, Pair: pair}
		}), o)
		return encoded(rows), err
	case "ids":
		rows, err := e.EncodeInputs(ctx, inputs(given, func(line string) libengine.Input {
			ids := []int32{}
			for _, id := range strings.Fields(line) {
				ids = append(ids, int32(must(strconv.Atoi(id))))
			}
			return libengine.Input{IDs: ids}
		}), o)
		return encoded(rows), err
	case "labels":
		rows, err := e.Classify(ctx, inputs(given, text), o)
		best := []float32{}
		for _, row := range rows {
			for n := len(e.Labels); len(row) > 0; row = row[n:] {
				most := row[0]
				for _, score := range row[:n] {
					most = max(most, score)
				}
				best = append(best, most)
			}
		}
		return encoded([][]float32{best}), err
	case "rank":
		hits, err := e.Rank(ctx, given[0], given[1:], o)
		scores := make([]float32, len(hits))
		for _, hit := range hits {
			scores[hit.Index] = hit.Score
		}
		return encoded([][]float32{scores}), err
	case "tokens":
		var out bytes.Buffer
		tokens, err := e.Tokenize(text(given[0]))
		for _, t := range tokens {
			fmt.Fprintln(&out, t.ID, t.Begin, t.End)
		}
		return out.Bytes(), err
	case "search":
		var out bytes.Buffer
		rows := must(e.Encode(ctx, given, o))
		found, err := e.Search(rows, rows, 3)
		for _, hits := range found {
			for _, hit := range hits {
				binary.Write(&out, binary.LittleEndian, uint64(hit.Index))
				binary.Write(&out, binary.LittleEndian, hit.Score)
			}
		}
		return out.Bytes(), err
	case "threads":
		expected, same := encoded(must(e.Encode(ctx, given, o))), true
		var all sync.WaitGroup
		var mutex sync.Mutex
		for range 8 {
			all.Add(1)
			go func() {
				defer all.Done()
				for range 4 {
					found := encoded(must(e.Encode(ctx, given, o)))
					mutex.Lock()
					same = same && bytes.Equal(found, expected)
					mutex.Unlock()
				}
			}()
		}
		all.Wait()
		return said(same, "same", "others"), nil
	case "cancel":
		limited, cancel := context.WithTimeout(ctx, 30*time.Millisecond)
		defer cancel()
		_, err := e.Encode(limited, given, o)
		must(e.Encode(ctx, []string{"usable"}, o))
		_, late := e.Encode(limited, []string{"a"}, o)
		both := errors.Is(err, context.DeadlineExceeded) && errors.Is(late, context.DeadlineExceeded)
		return said(both, "error 12 -1", "not cancelled"), nil
	case "many":
		n, before := must(strconv.Atoi(os.Getenv("MANY"))), 0
		for i := range n {
			if i == n/2 {
				before = memory()
			}
			must(e.Encode(ctx, []string{"I ride bike"}, o))
		}
		more := memory() - before
		return said(more < 16<<20, "flat", fmt.Sprint(more, " bytes more")), nil
	case "closed":
		before := memory()
		for i := range 150 {
			must(must(libengine.Open("", 1)).Encode(ctx, []string{"a"}, o)) // forgotten
			if i%25 == 24 {
				runtime.GC()
				time.Sleep(20 * time.Millisecond)
			}
		}
		if more := memory() - before; more > 100<<20 {
			return said(false, "", fmt.Sprint(more, " bytes of forgotten encoders")), nil
		}
		other := must(libengine.Open("", 0))
		other.Close()
		other.Close()
		_, err := other.Encode(ctx, []string{"a"}, o)
		return said(errors.Is(err, libengine.ErrClosed), "closed", "open"), nil
	}
	begin := time.Now()
	for range 50 {
		for i := range given {
			must(e.Encode(ctx, given[i:i+1], o))
		}
	}
	each := time.Since(begin).Seconds() * 1e6 / float64(50*len(given))
	return []byte(fmt.Sprintf("%.1f ms, %.0f µs\n", first, each)), nil
}

func main() {
	must(must(libengine.Open("", 0)).Encode(context.Background(), []string{"I ride bike"}, nil))
	first := time.Since(start).Seconds() * 1e3
	encoders := map[string]*libengine.Encoder{}
	for _, line := range lines(os.Args[1]) {
		c := strings.Split(line, "\t")
		o := libengine.Options{Normalize: c[5] == "1", Dimensions: must(strconv.Atoi(c[4]))}
		o.Role = map[string]api.Role{"query": api.ENGINE_ROLE_QUERY, "document": api.ENGINE_ROLE_DOCUMENT}[c[3]]
		o.OnLong = map[string]api.OnLong{"truncate": api.ENGINE_ON_LONG_TRUNCATE, "error": api.ENGINE_ON_LONG_ERROR}[c[7]]
		if c[6] != "-" {
			o.Prompt = &c[6]
		}
		var out []byte
		var err error
		if encoders[c[2]] == nil {
			encoders[c[2]], err = libengine.Open(c[2], 0)
		}
		if err == nil {
			out, err = answer(c[0], encoders[c[2]], c[8], &o, first)
		}
		var failed *libengine.Error
		if errors.As(err, &failed) {
			out = []byte(fmt.Sprintf("error %d %d %s\n", failed.Status, failed.Index, failed.Message))
		} else if err != nil {
			panic(err)
		}
		must(0, os.WriteFile(os.Args[2]+"/"+c[1], out, 0o644))
	}
}
