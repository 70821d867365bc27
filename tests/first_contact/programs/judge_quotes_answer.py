"""Gemini: an answer, a judge that quotes question and answer, and a better answer that quotes the judge."""

from google import genai

client = genai.Client()


def ask(text):
    return client.models.generate_content(model="gemini-2.0-flash", contents=text).text


question = "Explain tides to a child."
answer = ask(question)
verdict = ask(f"Question: {question}\nAnswer: {answer}\nGive it a mark from 1 to 10 and say why.")
better = ask(f"{question}\n\nYour draft was:\n{answer}\n\nA teacher says:\n{verdict}\n\nWrite it again.")
print(better)
