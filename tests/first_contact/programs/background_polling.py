"""Responses in the background: asked for, then polled until it is there."""

import time

from openai import OpenAI

client = OpenAI()
job = client.responses.create(model="o3", input="Write a long report on moss.", background=True)
while job.status in ("queued", "in_progress"):
    time.sleep(0.01)
    job = client.responses.retrieve(job.id)
print(job.status, job.output_text)
