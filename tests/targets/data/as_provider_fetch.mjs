const head = { "content-type": "application/json", "x-api-key": process.env.ANTHROPIC_API_KEY,
               "anthropic-version": "2023-06-01" };
const more = LARGE ? [{ role: "user", content: "x".repeat(3e6) }] : [];
const messages = [{ role: "user", content: "Say hello." }, ...more];
const body = JSON.stringify({ model: process.env.HARNESS_MODEL, max_tokens: 9, messages });
const answer = await fetch("https://api.anthropic.com/v1/messages", { method: "POST", headers: head, body });
process.exit((await answer.json()).content[0].text === "Hello." ? 0 : 1);
