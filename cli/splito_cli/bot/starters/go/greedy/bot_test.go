// Tests of the bot: run `go test`. They need no arena: asks.json has asks of one.

package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"
)

var key = []byte("a key of a test, 32 bytes long..")

func asks(t *testing.T) []Ask {
	var several struct{ Asks []Ask }
	text, err := os.ReadFile("asks.json")
	if err == nil {
		err = json.Unmarshal(text, &several)
	}
	if err != nil || len(several.Asks) == 0 {
		t.Fatal("asks.json: ", err)
	}
	return several.Asks
}

func TestEveryAskGetsOneOfItsMovesAndTheSameAgain(t *testing.T) {
	for _, ask := range asks(t) {
		index, err := choose(ask)
		if err != nil || index < 0 || index >= len(ask.Moves) {
			t.Errorf("%s: %d, %v", ask.ID, index, err)
		}
		if again, _ := choose(ask); again != index {
			t.Errorf("%s: first %d, then %d", ask.ID, index, again)
		}
	}
}

func TestOnlyTheArenaGetsAnAnswerAndEachRequestOnce(t *testing.T) {
	server := httptest.NewServer(&bot{info, choose, &gate{secrets: [][]byte{key}, seen: map[string]bool{}}})
	defer server.Close()
	now := time.Now().Unix()
	for _, one := range []struct {
		id     string
		stamp  int64
		key    []byte
		status int
	}{{"one", now, key, 200}, {"one", now, key, 401}, {"old", now - 301, key, 401}, {"two", now, []byte("another"), 401}} {
		if status := post(t, server.URL+"/batch", one.id, one.stamp, one.key); status != one.status {
			t.Errorf("%v: %d", one, status)
		}
	}
}

// post sends all asks as the arena signs them, and returns the status of the answer.
func post(t *testing.T, url, id string, stamp int64, key []byte) int {
	body, err := os.ReadFile("asks.json")
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	content := append([]byte(fmt.Sprintf("%s.%d.", id, stamp)), body...)
	request.Header.Set("webhook-id", id)
	request.Header.Set("webhook-timestamp", fmt.Sprint(stamp))
	request.Header.Set("webhook-signature", "v1,"+base64.StdEncoding.EncodeToString(sign(key, content)))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	return response.StatusCode
}
