"""google-genai calls the Python function by itself; a chat of two questions."""

from google import genai
from google.genai import types


def get_exchange_rate(currency: str) -> dict:
    """The rate of a currency against the euro.

    Args:
        currency: its code, as USD.
    """
    return {"currency": currency, "rate": 1.1}


client = genai.Client()
chat = client.chats.create(model="gemini-2.5-flash", config=types.GenerateContentConfig(tools=[get_exchange_rate]))
for question in ("How many dollars are 20 euros?", "And 30?"):
    print(chat.send_message(question).text)
