"""What an agent can do wrong in one turn, and the rules that say so."""

import copy
import json

ALL = ("anthropic", "bedrock", "chat", "gemini", "interactions", "responses")
BY_ID = ("anthropic", "bedrock", "chat", "interactions", "responses")

FAULTS = {
    "loses the calls": (ALL, r"final/unfinished"),
    "forgets a result": (ALL, r"history/results"),
    "makes an id up": (BY_ID, r"history/(no-other-results|results)|[A-Z]{3}-"),
    "sends a result twice": (("anthropic", "chat", "responses"), r"history/no-other-results|[A-Z]{3}-"),
    "drops the turn": (
        ("anthropic", "chat", "responses", "bedrock"),
        r"history/(model-calls|no-other-results|result-after-call)|[A-Z]{3}-",
    ),
    "changes the arguments": (ALL, r"history/model-calls"),
    "drops the system": (ALL, r"history/append-only"),
    "changes the question": (ALL, r"history/append-only"),
    "drops the thinking": (("responses", "anthropic", "gemini"), r"history/model-thinking|OAI-15|ANT-16|GEM-08"),
    "drops the text": (("chat", "responses", "anthropic", "bedrock"), r"history/model-text"),
    "forgets the beginning": (ALL, r"history/append-only|[A-Z]{3}-"),
    "says it in words": (("anthropic", "chat", "responses", "bedrock"), r"history/results"),
}


def applies(fault, api):
    return not fault or api in FAULTS[fault][0]


def thinks(fault, model):
    return fault != "drops the thinking" or model in (
        "gpt-5",
        "o4-mini",
        "thinking:claude-sonnet-4-5",
        "gemini-3-pro-preview",
    )


def broken(agent, fault, history, turn, calls, made):
    """The model's turn and the results as the faulty agent sends them. May change ``history``."""
    return globals()["_" + fault.replace(" ", "_")](agent, history, turn, calls, made)


def _forgets_a_result(agent, history, turn, calls, made):
    return turn, agent.api.results(calls[:-1], agent.result_of) if len(calls) > 1 else []


def _makes_an_id_up(agent, history, turn, calls, made):
    renamed = [("toolu_madeup" if at == 0 else call, name) for at, (call, name) in enumerate(calls)]
    return turn, agent.api.results(renamed, agent.result_of)


def _sends_a_result_twice(agent, history, turn, calls, made):
    return turn, agent.api.results([*calls, calls[0]], agent.result_of)


def _drops_the_turn(agent, history, turn, calls, made):
    return [], made


def _changes_the_arguments(agent, history, turn, calls, made):
    return _rewritten(turn), made


def _rewritten(value):
    """The same with other arguments in the first call."""
    done = False

    def walk(each):
        nonlocal done
        if isinstance(each, dict):
            if not done and isinstance(each.get("of"), str):
                done = True
                return each | {"of": "Atlantis"}
            if not done and isinstance(each.get("arguments"), str):
                done = True
                return each | {"arguments": json.dumps({"of": "Atlantis"})}
            return {key: walk(member) for key, member in each.items()}
        return [walk(member) for member in each] if isinstance(each, list) else each

    return walk(value)


def _drops_the_system(agent, history, turn, calls, made):
    agent.system = ""
    return turn, made


def _changes_the_question(agent, history, turn, calls, made):
    history[-1] = agent.api.user("Tell me about something else, and briefly.")
    return turn, made


def _drops_the_thinking(agent, history, turn, calls, made):
    kept = []
    for item in copy.deepcopy(turn):
        if item.get("type") == "reasoning":
            continue
        if isinstance(item.get("content"), list) and agent.name == "anthropic":
            item["content"] = [each for each in item["content"] if each["type"] != "thinking"]
        for part in item.get("parts", []):
            part.pop("thoughtSignature", None)
        kept.append(item)
    return kept, made


def _drops_the_text(agent, history, turn, calls, made):
    kept = []
    for item in copy.deepcopy(turn):
        if item.get("type") == "message":
            continue
        if agent.name == "chat":
            item["content"] = ""
        elif isinstance(item.get("content"), list):
            item["content"] = [each for each in item["content"] if "text" not in each]
        kept.append(item)
    return kept, made


def _forgets_the_beginning(agent, history, turn, calls, made):
    history[:] = [agent.api.user("Go on.")]
    return turn, made


def _says_it_in_words(agent, history, turn, calls, made):
    return turn, [agent.api.user(f"The tools said: {[agent.result_of(name) for _, name in calls]}")]
