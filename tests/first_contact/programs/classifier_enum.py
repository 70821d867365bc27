"""Route support mails to a department with structured outputs and pydantic."""

from enum import StrEnum

from openai import OpenAI
from pydantic import BaseModel


class Department(StrEnum):
    billing = "billing"
    technical = "technical"
    sales = "sales"


class Ticket(BaseModel):
    department: Department
    urgent: bool
    summary: str


client = OpenAI()
for mail in ["My invoice is wrong", "The app does not start", "Do you sell to schools?", "The app does not start"]:
    done = client.chat.completions.parse(
        model="gpt-4o-2024-08-06",
        messages=[{"role": "system", "content": "Sort the mail."}, {"role": "user", "content": mail}],
        response_format=Ticket,
    )
    print(f"{mail}: {done.choices[0].message.parsed.department.value}")
