import Anthropic from "@anthropic-ai/sdk";
const client = new Anthropic({ maxRetries: 0 });
const stream = client.messages.stream({ model: process.env.HARNESS_MODEL, max_tokens: 9,
                                        messages: [{ role: "user", content: "Say hello." }] });
if ((await stream.finalText()) !== "Hello.") process.exit(1);
await fetch("https://api.example.invalid/telemetry").catch(() => {});
process.exit(0);
