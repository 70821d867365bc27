"""openai-agents: two sub-agents are tools of the main one, on Chat Completions."""

from agents import Agent, Runner, function_tool, set_default_openai_api, set_tracing_disabled

set_tracing_disabled(True)
set_default_openai_api("chat_completions")


@function_tool
def search_archive(words: str) -> str:
    """Search the archive."""
    return f"nothing about {words}"


def specialist(subject):
    agent = Agent(name=subject, instructions=f"You know {subject}.", tools=[search_archive], model="gpt-4.1")
    return agent.as_tool(tool_name=f"ask_about_{subject}", tool_description=f"Ask about {subject}.")


tools = [specialist("birds"), specialist("trees")]
main = Agent(name="Main", instructions="Ask the specialists.", tools=tools, model="gpt-4.1")
print(Runner.run_sync(main, "Which birds live in oaks?").final_output)
