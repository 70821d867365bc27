"""RAG: embeddings if there are any, else words in common; two worked examples in front of every question."""

import openai

client = openai.OpenAI(max_retries=0)
PAGES = ["Visas cost 30 euros.", "The office opens at nine.", "Passports take six weeks."]
EXAMPLES = [
    {"role": "user", "content": "Context: Dogs must be on a lead.\n\nQuestion: May my dog run free?"},
    {"role": "assistant", "content": "No, dogs must be on a lead."},
    {"role": "user", "content": "Context: The pool is closed.\n\nQuestion: What does it cost?"},
    {"role": "assistant", "content": "The context does not say that."},
]


def best(question):
    try:
        data = client.embeddings.create(model="text-embedding-3-small", input=[question, *PAGES]).data
    except openai.NotFoundError:
        words = set(question.lower().split())
        return max(PAGES, key=lambda page: len(words & set(page.lower().split())))
    asked, *pages = [each.embedding for each in data]
    scores = [sum(a * b for a, b in zip(asked, page, strict=True)) for page in pages]
    return PAGES[scores.index(max(scores))]


for question in ("When does the office open?", "How long do passports take?"):
    user = {"role": "user", "content": f"Context: {best(question)}\n\nQuestion: {question}"}
    system = {"role": "system", "content": "Answer from the context only."}
    answer = client.chat.completions.create(model="gpt-4o-mini", messages=[system, *EXAMPLES, user])
    print(answer.choices[0].message.content)
