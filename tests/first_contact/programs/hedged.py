"""Hedged requests: each question is asked twice at once, and whichever answer is first wins."""

from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait

from openai import OpenAI

client = OpenAI()


def ask(question):
    answer = client.responses.create(model="gpt-4.1-mini", input=question, instructions="Be brief.")
    return answer.output_text


with ThreadPoolExecutor(2) as pool:
    for question in ("What is the capital of Peru?", "And of Chile?"):
        done, _ = wait([pool.submit(ask, question) for _ in range(2)], return_when=FIRST_COMPLETED)
        print(done.pop().result())
