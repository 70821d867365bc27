// An agent on Node with fetch alone, on Responses with a model that reasons by default.
const tools = [
  {
    type: "function",
    name: "get_route",
    description: "Minutes between two stops.",
    parameters: {
      type: "object",
      properties: { from: { type: "string" }, to: { type: "string" } },
      required: ["from", "to"],
    },
  },
];
const input = [{ role: "user", content: "How do I get from the port to the zoo?" }];

for (;;) {
  const response = await fetch(`${process.env.OPENAI_BASE_URL}/responses`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${process.env.OPENAI_API_KEY}` },
    body: JSON.stringify({ model: "gpt-5", input, tools }),
  });
  if (!response.ok) throw new Error(await response.text());
  const { output } = await response.json();
  input.push(...output);
  const calls = output.filter((item) => item.type === "function_call");
  if (calls.length === 0) {
    console.log(output.at(-1).content[0].text);
    break;
  }
  for (const call of calls) {
    const { from, to } = JSON.parse(call.arguments);
    input.push({ type: "function_call_output", call_id: call.call_id, output: `${from}-${to}: 12` });
  }
}
