// FAULT: the reader of the Responses stream knows text deltas only, so it never sees the calls.
const response = await fetch(`${process.env.OPENAI_BASE_URL}/responses`, {
  method: "POST",
  headers: { "content-type": "application/json", authorization: `Bearer ${process.env.OPENAI_API_KEY}` },
  body: JSON.stringify({
    model: "gpt-4.1",
    stream: true,
    input: "What is on my list?",
    tools: [{ type: "function", name: "read_list", parameters: { type: "object", properties: {} } }],
  }),
});
let text = "";
for (const line of (await response.text()).split("\n")) {
  if (!line.startsWith("data: {")) continue;
  const event = JSON.parse(line.slice(6));
  if (event.type === "response.output_text.delta") text += event.delta;
}
console.log(text);
