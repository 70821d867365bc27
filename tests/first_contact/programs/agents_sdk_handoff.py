"""openai-agents: a triage agent hands over to a specialist, which has a tool."""

from agents import Agent, Runner, function_tool, set_tracing_disabled

set_tracing_disabled(True)


@function_tool
def get_opening_hours(branch: str) -> str:
    """When a branch is open."""
    return f"{branch}: 9 to 17"


hours = Agent(name="Hours", instructions="You know the hours.", tools=[get_opening_hours], model="gpt-4.1")
triage = Agent(name="Triage", instructions="Hand over to who knows.", handoffs=[hours], model="gpt-4.1")
print(Runner.run_sync(triage, "When do you open?").final_output)
