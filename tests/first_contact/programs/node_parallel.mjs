// Ten product texts at once with Promise.all, streamed, each with the same style examples.
const style = [
  { role: "system", content: "You write product texts." },
  { role: "user", content: "mug" },
  { role: "assistant", content: "A mug for slow mornings." },
];

async function write(product) {
  const response = await fetch(`${process.env.OPENAI_BASE_URL}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${process.env.OPENAI_API_KEY}` },
    body: JSON.stringify({
      model: "gpt-4.1-mini",
      stream: true,
      messages: [...style, { role: "user", content: product }],
    }),
  });
  let text = "";
  let rest = "";
  const decoder = new TextDecoder();
  for await (const bytes of response.body) {
    rest += decoder.decode(bytes, { stream: true });
    const lines = rest.split("\n");
    rest = lines.pop();
    for (const line of lines) {
      if (!line.startsWith("data: ") || line === "data: [DONE]") continue;
      text += JSON.parse(line.slice(6)).choices[0]?.delta.content ?? "";
    }
  }
  return text;
}

const texts = await Promise.all([..."abcdefghij"].map((letter) => write(`lamp ${letter}`)));
console.log(texts.length, new Set(texts).size);
