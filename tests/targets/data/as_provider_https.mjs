
import https from "node:https";
const body = JSON.stringify({ model: process.env.HARNESS_MODEL, max_tokens: 9,
                              messages: [{ role: "user", content: "Say hello." }] });
const headers = { "content-type": "application/json", "x-api-key": "harness", "anthropic-version": "2023-06-01" };
const asked = https.request("https://api.anthropic.com/v1/messages", { method: "POST", headers }, (answer) => {
  let text = "";
  answer.on("data", (piece) => (text += piece));
  answer.on("end", () => process.exit(JSON.parse(text).content[0].text === "Hello." ? 0 : 1));
});
asked.end(body);
