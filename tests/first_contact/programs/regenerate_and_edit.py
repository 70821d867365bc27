"""A chat UI: the user has an answer made again, then edits the question before it, which begins another branch."""

from openai import OpenAI

client = OpenAI()


def answer(branch):
    made = client.chat.completions.create(model="gpt-4o-mini", messages=branch)
    return {"role": "assistant", "content": made.choices[0].message.content}


system = {"role": "system", "content": "You are a friendly guide."}
branch = [system, {"role": "user", "content": "Where shall I go in June?"}]
branch.append(answer(branch))
branch.append({"role": "user", "content": "What do I pack?"})
first = answer(branch)
again = answer(branch)  # "regenerate"
edited = [*branch[:-1], {"role": "user", "content": "What does it cost?"}]  # "edit"
edited.append(answer(edited))
branch += [again, {"role": "user", "content": "And for rain?"}]
print(first["content"], edited[-1]["content"], answer(branch)["content"], sep="\n")
