
import { createInterface } from "node:readline";
for await (const line of createInterface({ input: process.stdin })) {
  const { base_url, model } = JSON.parse(line);
  const body = JSON.stringify({ model, max_tokens: 9, messages: [{ role: "user", content: "Say hello." }] });
  const headers = { "content-type": "application/json", "x-api-key": "harness", "anthropic-version": "2023-06-01" };
  const answer = await (await fetch(`${base_url}/v1/messages`, { method: "POST", headers, body })).json();
  console.log(JSON.stringify({ event: "assistant", id: "1", text: answer.content[0].text }));
  await fetch("https://api.example.invalid/telemetry").catch(() => {});
  break;
}
process.stdin.destroy();  // it stays open, and Node would wait for it
