// The check that a request comes from the arena: signatures by Standard Webhooks (https://www.standardwebhooks.com).

package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	tolerance = 300 * time.Second // by which the clocks of the arena and of the bot may differ
	maxSeen   = 1_000_000         // request ids that are kept to refuse replays
)

var shapes = map[string]*regexp.Regexp{
	"webhook-id":        regexp.MustCompile(`^[A-Za-z0-9_-]{1,128}$`),
	"webhook-timestamp": regexp.MustCompile(`^[0-9]{1,12}$`),
	"webhook-signature": regexp.MustCompile(`^[!-~]+( [!-~]+){0,15}$`),
}

// gate lets in what the arena has signed, each request once. Without keys it lets in everything.
type gate struct {
	secrets   [][]byte
	publicKey ed25519.PublicKey
	botID     string
	lock      sync.Mutex
	seen      map[string]bool
	came      []arrival // the oldest first
}

type arrival struct {
	id   string
	when time.Time
}

// newGate reads the secrets (whsec_..., several with commas) or the public key of the arena (whpk_...). That key is the same
// for all bots, so it needs the id of the bot.
func newGate(secrets, publicKey, botID string) (*gate, error) {
	found := &gate{botID: botID, seen: map[string]bool{}}
	for _, text := range strings.Split(secrets, ",") {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		key, err := readKey(text, "whsec_", 24, 64)
		if err != nil {
			return nil, fmt.Errorf("SPLITO_BOT_SECRET: %w", err)
		}
		found.secrets = append(found.secrets, key)
	}
	if publicKey != "" {
		key, err := readKey(publicKey, "whpk_", ed25519.PublicKeySize, ed25519.PublicKeySize)
		if err != nil {
			return nil, fmt.Errorf("SPLITO_PUBLIC_KEY: %w", err)
		}
		if botID == "" {
			return nil, fmt.Errorf("SPLITO_PUBLIC_KEY needs the id of the bot too: set SPLITO_BOT_ID")
		}
		found.publicKey = key
	}
	return found, nil
}

func readKey(text, prefix string, shortest, longest int) ([]byte, error) {
	key, err := base64.StdEncoding.Strict().DecodeString(strings.TrimPrefix(text, prefix))
	if err != nil || !strings.HasPrefix(text, prefix) || len(key) < shortest || len(key) > longest {
		return nil, fmt.Errorf("write it as %s and %d to %d bytes in base64", prefix, shortest, longest)
	}
	return key, nil
}

func (g *gate) isOpen() bool { return len(g.secrets) == 0 && g.publicKey == nil }

// admit refuses a request that the arena has not signed for this bot just now, or that has come before.
func (g *gate) admit(header http.Header, body []byte, now time.Time) error {
	if g.isOpen() {
		return nil
	}
	id, err := g.verify(header, body, now)
	if err != nil {
		return err
	}
	return g.remember(id, now)
}

// verify returns the id of a request that the arena has signed for this bot.
func (g *gate) verify(header http.Header, body []byte, now time.Time) (string, error) {
	for name, shape := range shapes {
		if !shape.MatchString(header.Get(name)) {
			return "", unauthorised("missing-header", "the header "+name+" is missing or malformed: the sender must sign")
		}
	}
	id, stamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, _ := strconv.ParseInt(stamp, 10, 64)
	if age := now.Sub(time.Unix(seconds, 0)); age > tolerance || age < -tolerance {
		return "", unauthorised("stale-message", "the message is too old, or from the future: compare the clocks")
	}
	content := append([]byte(id+"."+stamp+"."), body...)
	if !g.isSigned(content, strings.Split(header.Get("webhook-signature"), " ")) {
		return "", unauthorised("wrong-signature", "no signature was made with the key of this bot")
	}
	if g.botID != "" && !strings.HasPrefix(id, g.botID+"_") {
		return "", unauthorised("wrong-recipient", "this request was signed for another bot: compare the id of this bot")
	}
	return id, nil
}

// isSigned compares all signatures with all keys. With a public key, only Ed25519 signatures count.
func (g *gate) isSigned(content []byte, signatures []string) bool {
	for _, signature := range signatures {
		kind, text, _ := strings.Cut(signature, ",")
		given, err := base64.StdEncoding.Strict().DecodeString(text)
		if err != nil {
			continue
		}
		if g.publicKey != nil {
			if kind == "v1a" && ed25519.Verify(g.publicKey, content, given) {
				return true
			}
			continue
		}
		for _, secret := range g.secrets {
			if kind == "v1" && hmac.Equal(sign(secret, content), given) {
				return true
			}
		}
	}
	return false
}

// remember keeps the id for as long as its signature may be valid: twice the tolerance, as the sender's clock may be ahead.
func (g *gate) remember(id string, now time.Time) error {
	g.lock.Lock()
	defer g.lock.Unlock()
	for len(g.came) > 0 && now.Sub(g.came[0].when) > 2*tolerance {
		delete(g.seen, g.came[0].id)
		g.came = g.came[1:]
	}
	if g.seen[id] {
		return unauthorised("replayed", id+" has come before")
	}
	if len(g.came) >= maxSeen {
		return unauthorised("replayed", "too many requests to remember them all")
	}
	g.seen[id] = true
	g.came = append(g.came, arrival{id, now})
	return nil
}

// proof answers a challenge, with the secret that signed the request or else the first.
func (g *gate) proof(header http.Header, body []byte, challenge string) (string, error) {
	if len(g.secrets) == 0 {
		return "", refusal{http.StatusConflict, "no-secret", "this bot has no secret: set SPLITO_BOT_SECRET"}
	}
	signer := g.secrets[0]
	content := bytes.Join([][]byte{[]byte(header.Get("webhook-id")), []byte(header.Get("webhook-timestamp")), body}, []byte("."))
	for _, secret := range g.secrets {
		alone := &gate{secrets: [][]byte{secret}}
		if alone.isSigned(content, strings.Split(header.Get("webhook-signature"), " ")) {
			signer = secret
		}
	}
	return base64.StdEncoding.EncodeToString(sign(signer, []byte("splito-challenge."+challenge))), nil
}

func sign(secret, content []byte) []byte {
	mac := hmac.New(sha256.New, secret)
	mac.Write(content)
	return mac.Sum(nil)
}

func unauthorised(code, detail string) error { return refusal{http.StatusUnauthorized, code, detail} }
