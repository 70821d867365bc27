"""Take the parties out of 20 contracts, four at a time: a shared example, and a tool that must be called."""

import json
from concurrent.futures import ThreadPoolExecutor

from openai import OpenAI

client = OpenAI()
EXAMPLE = [
    {"role": "system", "content": "You take the parties and the date out of contracts."},
    {"role": "user", "content": "Agreement of 1 May 2020 between Ada Ltd and Bob plc"},
    {"role": "assistant", "content": '{"parties": ["Ada Ltd", "Bob plc"], "date": "2020-05-01"}'},
]
RECORD = {
    "type": "function",
    "function": {
        "name": "record_contract",
        "parameters": {
            "type": "object",
            "properties": {"parties": {"type": "array", "items": {"type": "string"}}, "date": {"type": "string"}},
            "required": ["parties", "date"],
        },
    },
}


def extract(document):
    answer = client.chat.completions.create(
        model="gpt-4o-mini",
        messages=[*EXAMPLE, {"role": "user", "content": document}],
        tools=[RECORD],
        tool_choice={"type": "function", "function": {"name": "record_contract"}},
    )
    return json.loads(answer.choices[0].message.tool_calls[0].function.arguments)


documents = [f"Agreement no. {n} between Party {n} and the Agency" for n in range(20)]
with ThreadPoolExecutor(4) as pool:
    for record in pool.map(extract, documents):
        print(record["date"], *record["parties"])
