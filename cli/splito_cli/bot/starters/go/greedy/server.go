// The HTTP server of the bot, from Go's standard library alone. The arena calls it; see docs/bot-contract.md of the arena.
//
// Environment: HOST, PORT, SPLITO_BOT_SECRET (several with commas), or SPLITO_PUBLIC_KEY and SPLITO_BOT_ID.

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path"
	"runtime/debug"
	"strings"
	"syscall"
	"time"
)

const maxBody = 16 << 20 // bytes

// Info is the answer to GET /info.
type Info struct {
	Name        string   `json:"name"`
	Author      string   `json:"author"`
	Version     string   `json:"version"`
	Games       []string `json:"games"`
	Batch       int      `json:"batch"`       // asks in one request; 0: no batches
	Concurrency int      `json:"concurrency"` // requests at the same time
	Ed25519     bool     `json:"ed25519"`
	Contract    int      `json:"contract"`
}

// Moves are the legal moves as they came: their form depends on the game.
type Moves []json.RawMessage

// JSON returns the moves as one JSON array.
func (moves Moves) JSON() []byte {
	text, _ := json.Marshal([]json.RawMessage(moves))
	return text
}

// Ask is a turn: choose one of Moves. The contract has more fields, such as history and nudges.
type Ask struct {
	ID, Game, Match, Seed string
	Seat, Players, Turn   int
	Moves                 Moves
	View                  json.RawMessage
	Time                  struct {
		Allowed int `json:"allowed_ms"`
		Turn    int `json:"turn_ms"`
	}
}

type answer struct {
	Ask   string `json:"ask"`
	Index int    `json:"index"`
}

// refusal is an answer that is not 200.
type refusal struct {
	status       int
	code, detail string
}

func (refused refusal) Error() string { return refused.code + ": " + refused.detail }

// bot serves one function. A gate without keys lets every request in.
type bot struct {
	info   Info
	choose func(Ask) (int, error)
	gate   *gate
}

type route struct {
	method string
	handle func(header http.Header, body []byte) (any, error)
}

func (b *bot) routes() map[string]route {
	return map[string]route{
		"info":      {http.MethodGet, func(http.Header, []byte) (any, error) { return b.info, nil }},
		"ask":       {http.MethodPost, b.ask},
		"batch":     {http.MethodPost, b.batch},
		"challenge": {http.MethodPost, b.challenge},
	}
}

func (b *bot) ask(_ http.Header, body []byte) (any, error) {
	var ask Ask
	if err := read(body, &ask); err != nil {
		return nil, err
	}
	return b.answer(ask)
}

// batch answers several asks. An ask at which the bot fails is left out, so that the others count.
func (b *bot) batch(_ http.Header, body []byte) (any, error) {
	var several struct{ Asks []Ask }
	if err := read(body, &several); err != nil {
		return nil, err
	}
	if len(several.Asks) > b.info.Batch {
		return nil, refusal{400, "too-many", fmt.Sprintf("this bot takes at most %d asks in one request", b.info.Batch)}
	}
	answers := []answer{}
	for _, ask := range several.Asks {
		if one, err := b.answer(ask); err == nil {
			answers = append(answers, one)
		} else {
			log.Println(err)
		}
	}
	return map[string]any{"answers": answers}, nil
}

func (b *bot) answer(ask Ask) (said answer, err error) {
	if len(ask.Moves) == 0 || len(ask.Seed) < 8 {
		return answer{}, refusal{400, "bad-request", "the body is not an ask"}
	}
	if !contains(b.info.Games, ask.Game) {
		return answer{}, refusal{400, "unknown-game", "this bot does not play " + ask.Game}
	}
	defer func() {
		if reason := recover(); reason != nil {
			log.Printf("the answer to %s of %s: %v\n%s", ask.ID, ask.Game, reason, debug.Stack())
			err = fmt.Errorf("the bot failed: %v", reason)
		}
	}()
	index, err := b.choose(ask)
	return answer{ask.ID, index}, err
}

func (b *bot) challenge(header http.Header, body []byte) (any, error) {
	var message struct{ Challenge string }
	if err := read(body, &message); err != nil {
		return nil, err
	}
	proof, err := b.gate.proof(header, body, message.Challenge)
	return map[string]string{"answer": proof}, err
}

func (b *bot) ServeHTTP(writer http.ResponseWriter, request *http.Request) {
	said, err := b.respond(request)
	if err == nil {
		send(writer, http.StatusOK, "application/json", said)
		return
	}
	log.Printf("refused %s %s: %v", request.Method, request.URL.Path, err)
	refused := refusal{http.StatusInternalServerError, "crashed", err.Error()}
	errors.As(err, &refused)
	problem := map[string]any{
		"type": "about:blank", "title": http.StatusText(refused.status), "status": refused.status,
		"code": refused.code, "detail": refused.detail,
	}
	send(writer, refused.status, "application/problem+json", problem)
}

// respond returns the message of a request. Only the last part of its path counts, so a bot may live at any base.
func (b *bot) respond(request *http.Request) (any, error) {
	found, known := b.routes()[path.Base(request.URL.Path)]
	if !known {
		return nil, refusal{404, "not-found", "there is nothing at " + request.URL.Path}
	}
	if request.Method != found.method {
		return nil, refusal{405, "not-allowed", "use " + found.method}
	}
	body, err := io.ReadAll(io.LimitReader(request.Body, maxBody+1))
	if err != nil {
		return nil, refusal{400, "bad-request", err.Error()}
	}
	if len(body) > maxBody {
		return nil, refusal{413, "too-large", fmt.Sprintf("a body has at most %d bytes", maxBody)}
	}
	if err := b.gate.admit(request.Header, body, time.Now()); err != nil {
		return nil, err
	}
	return found.handle(request.Header, body)
}

func read(body []byte, message any) error {
	if err := json.Unmarshal(body, message); err != nil {
		return refusal{400, "bad-request", "the body does not match the contract: " + err.Error()}
	}
	return nil
}

func send(writer http.ResponseWriter, status int, kind string, message any) {
	body, err := json.Marshal(message)
	if err != nil {
		log.Println(err)
		status = http.StatusInternalServerError
	}
	writer.Header().Set("Content-Type", kind)
	writer.Header().Set("Content-Length", fmt.Sprint(len(body)))
	writer.WriteHeader(status)
	_, _ = writer.Write(body) // a client that has gone needs no answer
}

func contains(names []string, name string) bool {
	for _, one := range names {
		if one == name {
			return true
		}
	}
	return false
}

func setting(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

func main() {
	log.SetFlags(0)
	keys, err := newGate(os.Getenv("SPLITO_BOT_SECRET"), os.Getenv("SPLITO_PUBLIC_KEY"), os.Getenv("SPLITO_BOT_ID"))
	if err != nil {
		log.Fatal(err)
	}
	info.Contract, info.Ed25519 = 1, keys.publicKey != nil
	listener, err := net.Listen("tcp", net.JoinHostPort(setting("HOST", "127.0.0.1"), setting("PORT", "8001")))
	if err != nil {
		log.Fatalf("%v: choose another PORT", err)
	}
	games := strings.Join(info.Games, ", ")
	log.Printf("%s %s plays %s at http://%s; Ctrl-C stops it", info.Name, info.Version, games, listener.Addr())
	if keys.isOpen() {
		log.Print("WARNING: without SPLITO_BOT_SECRET, every program that reaches this address may ask the bot")
	}
	serve(listener, &bot{info, choose, keys})
}

// serve answers until Ctrl-C or SIGTERM, and then what has been asked.
func serve(listener net.Listener, handler http.Handler) {
	stop, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 75 * time.Second}
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			log.Fatal(err)
		}
	}()
	<-stop.Done()
	grace, end := context.WithTimeout(context.Background(), 5*time.Second)
	defer end()
	_ = server.Shutdown(grace) // after the grace, connections are closed as they are
}
