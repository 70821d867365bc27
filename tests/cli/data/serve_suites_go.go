package weather

import ("net/http"; "net/url"; "os"; "strings"; "testing")

func base(t *testing.T) string {
	return os.Getenv("HARNESS_CASE_BASE_URL") + "/test/" + url.PathEscape(t.Name()) + "/v1"
}

func ask(t *testing.T) {
	body := `{"model": "gpt-4.1", "messages": [{"role": "user", "content": "Hello?"}]}`
	answer, err := http.Post(base(t)+"/chat/completions", "application/json", strings.NewReader(body))
	if err != nil || answer.StatusCode != 200 { t.Fatal(err) }
}

func TestOne(t *testing.T) { t.Parallel(); ask(t) }
func TestTwo(t *testing.T) { t.Run("a part", func(t *testing.T) { ask(t) }) }
