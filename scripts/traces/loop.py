"""A tool-calling loop on an SDK or a framework, right or with one bug, and an instrumentation that records it.

It is run by scripts/trace-fixtures in an environment that has the packages. Arguments: the instrumentation, the API,
the address of the endpoint, the folder for the spans, and runs as BUG or BUG+stream. It writes one file of spans a run,
FOLDER/INSTRUMENTATION.API.BUG.jsonl, as the JSON exporter of the OpenTelemetry SDK writes them.
"""

# ruff: noqa: ARG001, ARG002, BLE001, B905, S106, T201 - a program that runs where the harness is not installed
from __future__ import annotations

import importlib
import json
import os
import re
import sys
from pathlib import Path

PROMPT = "Compare the weather in Oslo and Rome."
CELSIUS = {"Oslo": -4, "Rome": 19}
PARAMETERS = {
    "type": "object",
    "properties": {"city": {"type": "string", "description": "The name of the city."}},
    "required": ["city"],
    "additionalProperties": False,
}
ABOUT = "The weather in a city now."
SCENARIO = {"trunc": "trace-cut", "limit": "trace-many"}
MOST = 30
OBJECTS = bool(os.environ.get("TRACE_OBJECTS"))
"""Whether the loop sends back the SDK's own objects, as many loops do, and not what it makes of them."""


def mended(arguments):
    """The arguments of a call; those of a cut one are completed, which is the bug ``trunc``."""
    if isinstance(arguments, dict):
        return arguments
    try:
        return json.loads(arguments or "{}")
    except ValueError:
        return {"city": re.sub(r'.*"', "", arguments)}


def weather(arguments):
    """What the tool returns."""
    return json.dumps({"celsius": CELSIUS.get(mended(arguments).get("city"), 0)})


def outputs(bug, calls):
    """(call, result) of each call as the loop sends them; a bug drops the second or exchanges the two."""
    results = [weather(arguments) for _, arguments in calls]
    if bug == "swapped" and len(results) > 1:
        results[0], results[1] = results[1], results[0]
    pairs = [(call, result) for (call, _), result in zip(calls, results)]
    return pairs[:1] if bug == "forgot" else pairs


# --- loops on SDKs --------------------------------------------------------------------------------------------


def chat(base, bug, stream):
    """OpenAI Chat."""
    import openai

    client = openai.OpenAI(base_url=f"{base}/v1", api_key="harness")
    tool = {"type": "function", "function": {"name": "get_weather", "description": ABOUT, "parameters": PARAMETERS}}
    messages = [{"role": "user", "content": PROMPT}]
    for _ in range(MOST):
        asked = {"model": "deepseek-v4-flash", "messages": messages, "tools": [tool]}
        if stream:
            text, thinking, calls = "", "", {}
            for chunk in client.chat.completions.create(**asked, stream=True):
                for choice in chunk.choices:
                    delta = choice.delta
                    text += delta.content or ""
                    thinking += getattr(delta, "reasoning_content", None) or ""
                    for piece in delta.tool_calls or []:
                        call = calls.setdefault(piece.index, {"id": "", "name": "", "arguments": ""})
                        call["id"] += piece.id or ""
                        call["name"] += piece.function.name or ""
                        call["arguments"] += piece.function.arguments or ""
            calls = list(calls.values())
        else:
            message = client.chat.completions.create(**asked).choices[0].message
            text, thinking = message.content, getattr(message, "reasoning_content", None)
            calls = [
                {"id": call.id, "name": call.function.name, "arguments": call.function.arguments}
                for call in message.tool_calls or []
            ]
        if not calls:
            return
        back = {
            "role": "assistant",
            "content": text or None,
            "tool_calls": [
                {
                    "id": call["id"],
                    "type": "function",
                    "function": {"name": call["name"], "arguments": call["arguments"]},
                }
                for call in calls
            ],
        }
        if thinking and bug != "nothink":
            back["reasoning_content"] = thinking
        messages.append(message if OBJECTS and not stream else back)
        for call, result in outputs(bug, [(call, call["arguments"]) for call in calls]):
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})


def responses(base, bug, stream):
    """OpenAI Responses, stateless."""
    import openai

    client = openai.OpenAI(base_url=f"{base}/v1", api_key="harness")
    tool = {"type": "function", "name": "get_weather", "description": ABOUT, "parameters": PARAMETERS, "strict": True}
    history = [{"role": "user", "content": PROMPT}]
    for _ in range(MOST):
        asked = {
            "model": "gpt-5.5",
            "input": history,
            "tools": [tool],
            "store": False,
            "reasoning": {"effort": "medium", "summary": "auto"},
            "include": ["reasoning.encrypted_content"],
        }
        if stream:
            final = None
            for event in client.responses.create(**asked, stream=True):
                if event.type in ("response.completed", "response.incomplete"):
                    final = event.response
        else:
            final = client.responses.create(**asked)
        items = [item.model_dump(mode="json", exclude_none=True) for item in final.output]
        calls = [item for item in items if item["type"] == "function_call"]
        if not calls:
            return
        if OBJECTS:
            history += final.output
        for item in () if OBJECTS else items:
            if item["type"] == "reasoning" and bug == "nothink":
                continue
            history.append({k: v for k, v in item.items() if not (item["type"] == "reasoning" and k == "status")})
        for call, result in outputs(bug, [(call, call["arguments"]) for call in calls]):
            history.append({"type": "function_call_output", "call_id": call["call_id"], "output": result})


def messages(base, bug, stream):
    """Anthropic Messages with extended thinking."""
    import anthropic

    client = anthropic.Anthropic(base_url=base, api_key="harness")
    tool = {"name": "get_weather", "description": ABOUT, "input_schema": PARAMETERS}
    history = [{"role": "user", "content": PROMPT}]
    for _ in range(MOST):
        asked = {
            "model": "claude-sonnet-4-5",
            "max_tokens": 4096,
            "thinking": {"type": "enabled", "budget_tokens": 1024},
            "tools": [tool],
            "messages": history,
        }
        cut = {}
        if stream:
            with client.messages.stream(**asked) as events:
                partial = {}
                for event in events:
                    if event.type == "content_block_delta" and event.delta.type == "input_json_delta":
                        partial[event.index] = partial.get(event.index, "") + event.delta.partial_json
                answer = events.get_final_message()
            cut = dict(partial)
        else:
            answer = client.messages.create(**asked)
        blocks = [block.model_dump(mode="json", exclude_none=True, by_alias=True) for block in answer.content]
        blocks = [
            {k: v for k, v in block.items() if k not in ("caller", "citations", "parsed_output")} for block in blocks
        ]
        for index, block in enumerate(blocks):
            if block["type"] == "tool_use" and not isinstance(block["input"], dict):
                block["input"] = mended(cut.get(index, "{}"))
        calls = [block for block in blocks if block["type"] == "tool_use"]
        if not calls:
            return
        if bug == "nothink":
            blocks = [block for block in blocks if block["type"] != "thinking"]
        history.append({"role": "assistant", "content": answer.content if OBJECTS else blocks})
        history.append(
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": call["id"], "content": result}
                    for call, result in outputs(bug, [(call, call["input"]) for call in calls])
                ],
            }
        )


def gemini(base, bug, stream):
    """Gemini generateContent."""
    from google import genai
    from google.genai import types

    client = genai.Client(api_key="harness", http_options=types.HttpOptions(base_url=base))
    declared = types.FunctionDeclaration(name="get_weather", description=ABOUT, parameters_json_schema=PARAMETERS)
    config = types.GenerateContentConfig(
        tools=[types.Tool(function_declarations=[declared])],
        thinking_config=types.ThinkingConfig(include_thoughts=True),
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
    )
    contents = [types.Content(role="user", parts=[types.Part(text=PROMPT)])]
    for _ in range(MOST):
        asked = {"model": "gemini-3.6-flash", "contents": contents, "config": config}
        if stream:
            parts = []
            for chunk in client.models.generate_content_stream(**asked):
                for candidate in chunk.candidates or []:
                    if candidate.content and candidate.content.parts:
                        parts += candidate.content.parts
        else:
            candidate = client.models.generate_content(**asked).candidates[0]
            parts = list(candidate.content.parts or []) if candidate.content else []
        calls = [part.function_call for part in parts if part.function_call]
        if not calls:
            return
        if bug == "nothink":
            parts = [part.model_copy(update={"thought_signature": None}) for part in parts if not part.thought]
        contents = [*contents, types.Content(role="model", parts=parts)]
        answers = [
            types.Part(
                function_response=types.FunctionResponse(id=call.id, name=call.name, response=json.loads(result))
            )
            for call, result in outputs(bug, [(call, dict(call.args or {})) for call in calls])
        ]
        contents = [*contents, types.Content(role="user", parts=answers)]


# --- frameworks -----------------------------------------------------------------------------------------------


def get_weather(city: str) -> str:
    """The weather in a city now."""
    return weather({"city": city})


def pydantic_ai(base, bug, stream):
    """pydantic-ai on Anthropic Messages."""
    from dataclasses import replace

    from pydantic_ai import Agent, UsageLimits
    from pydantic_ai.messages import ModelRequest, ThinkingPart, ToolReturnPart
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    def changed(history):
        found = []
        for message in history:
            parts = list(message.parts)
            if bug == "nothink":
                parts = [part for part in parts if not isinstance(part, ThinkingPart)]
            returns = [at for at, part in enumerate(parts) if isinstance(part, ToolReturnPart)]
            if isinstance(message, ModelRequest) and len(returns) == 2:
                first, second = returns
                if bug == "forgot":
                    del parts[second]
                if bug == "swapped":
                    one, other = parts[first], parts[second]
                    parts[first], parts[second] = (
                        replace(one, content=other.content),
                        replace(other, content=one.content),
                    )
            found.append(replace(message, parts=parts))
        return found

    provider = AnthropicProvider(api_key="harness", base_url=base)
    settings = {"max_tokens": 4096, "anthropic_thinking": {"type": "enabled", "budget_tokens": 1024}}
    kept = {}
    if bug in ("nothink", "forgot", "swapped"):
        try:
            from pydantic_ai.capabilities import ProcessHistory

            kept = {"capabilities": [ProcessHistory(changed)]}
        except ImportError:
            kept = {"history_processors": [changed]}
    agent = Agent(
        AnthropicModel("claude-sonnet-4-5", provider=provider), tools=[get_weather], model_settings=settings, **kept
    )
    agent.run_sync(PROMPT, usage_limits=UsageLimits(request_limit=MOST))


def langchain(base, bug, stream):
    """LangChain's agent on Anthropic Messages."""
    from langchain.agents import create_agent
    from langchain_anthropic import ChatAnthropic

    model = ChatAnthropic(
        model="claude-sonnet-4-5",
        api_key="harness",
        base_url=base,
        max_tokens=4096,
        thinking={"type": "enabled", "budget_tokens": 1024},
    )
    middleware = _changing(bug) if bug in ("forgot", "nothink", "swapped") else []
    agent = create_agent(model, tools=[get_weather], middleware=middleware)
    callbacks = [langfuse_handler()] if os.environ.get("TRACE_LANGFUSE") else []
    agent.invoke(
        {"messages": [{"role": "user", "content": PROMPT}]}, {"recursion_limit": 4 * MOST, "callbacks": callbacks}
    )


def _changing(bug):
    from langchain.agents.middleware import wrap_model_call

    @wrap_model_call
    def change(request, handler):
        messages = [message.model_copy(deep=True) for message in request.messages]
        results = [message for message in messages if message.type == "tool"]
        if len(results) == 2:
            if bug == "forgot":
                messages.remove(results[1])
            if bug == "swapped":
                results[0].content, results[1].content = results[1].content, results[0].content
        for message in messages:
            if bug == "nothink" and message.type == "ai" and isinstance(message.content, list):
                message.content = [block for block in message.content if block.get("type") != "thinking"]
        return handler(request.override(messages=messages))

    return [change]


def langfuse_handler():
    """The callback of Langfuse, which records into the provider at hand."""
    from langfuse.langchain import CallbackHandler

    return CallbackHandler()


# --- instrumentations -----------------------------------------------------------------------------------------

INSTRUMENTORS = {
    "openinference-openai": ("openinference.instrumentation.openai", "OpenAIInstrumentor"),
    "openinference-anthropic": ("openinference.instrumentation.anthropic", "AnthropicInstrumentor"),
    "openinference-google-genai": ("openinference.instrumentation.google_genai", "GoogleGenAIInstrumentor"),
    "openinference-langchain": ("openinference.instrumentation.langchain", "LangChainInstrumentor"),
    "otel-openai": ("opentelemetry.instrumentation.genai.openai", "OpenAIInstrumentor"),
    "otel-anthropic": ("opentelemetry.instrumentation.genai.anthropic", "AnthropicInstrumentor"),
    "otel-google-genai": ("opentelemetry.instrumentation.google_genai", "GoogleGenAiSdkInstrumentor"),
    "openllmetry-openai": ("opentelemetry.instrumentation.openai", "OpenAIInstrumentor"),
    "openllmetry-anthropic": ("opentelemetry.instrumentation.anthropic", "AnthropicInstrumentor"),
    "openllmetry-langchain": ("opentelemetry.instrumentation.langchain", "LangchainInstrumentor"),
}


class Turning:
    """A span exporter whose file can be changed between runs; the same for log records."""

    def __init__(self, kind):
        self.kind = kind
        self.inner = None

    def open(self, stream):
        if os.environ.get("TRACE_BASE64"):
            self.inner = Base64Spans(stream)
            return
        module = {"Span": "trace_exporter", "Log": "_log_exporter"}[self.kind]
        exporter = importlib.import_module(f"opentelemetry.exporter.otlp.json.file.{module}")
        self.inner = getattr(exporter, f"File{self.kind}Exporter")(stream=stream)

    def export(self, batch):
        return self.inner.export(batch)

    def shutdown(self):
        if self.inner:
            self.inner.shutdown()

    def force_flush(self, timeout_millis=30000):
        return True


class Base64Spans:
    """Spans as protobuf's own JSON has them: ids in base64."""

    def __init__(self, kept):
        self.kept = kept

    def export(self, batch):
        from google.protobuf.json_format import MessageToJson
        from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
        from opentelemetry.sdk.trace.export import SpanExportResult

        self.kept.write(MessageToJson(encode_spans(batch), indent=None) + "\n")
        self.kept.flush()
        return SpanExportResult.SUCCESS

    def shutdown(self):
        pass


def instrumented(name):
    """Turn the instrumentation on; the exporters to point at a file for each run."""
    from opentelemetry import trace
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor

    spans = Turning("Span")
    provider = TracerProvider()
    if name == "openinference-pydantic-ai":
        from openinference.instrumentation.pydantic_ai import OpenInferenceSpanProcessor

        provider.add_span_processor(OpenInferenceSpanProcessor())
    provider.add_span_processor(SimpleSpanProcessor(spans))
    trace.set_tracer_provider(provider)
    logs = None
    if name.startswith("otel-"):
        from opentelemetry._logs import set_logger_provider
        from opentelemetry.sdk._logs import LoggerProvider
        from opentelemetry.sdk._logs.export import SimpleLogRecordProcessor

        logs = Turning("Log")
        logger = LoggerProvider()
        logger.add_log_record_processor(SimpleLogRecordProcessor(logs))
        set_logger_provider(logger)
    if name in INSTRUMENTORS:
        module, kind = INSTRUMENTORS[name]
        getattr(importlib.import_module(module), kind)().instrument(tracer_provider=provider)
    elif name in ("pydantic-ai", "openinference-pydantic-ai"):
        from pydantic_ai import Agent
        from pydantic_ai.models.instrumented import InstrumentationSettings

        Agent.instrument_all(InstrumentationSettings(tracer_provider=provider, include_content=True))
    elif name == "langfuse":
        os.environ["TRACE_LANGFUSE"] = "1"
        from langfuse import Langfuse

        Langfuse(public_key="pk-lf-x", secret_key="sk-lf-x", base_url="http://127.0.0.1:9", tracer_provider=provider)
    return provider, spans, logs


LOOPS = {
    "chat": chat,
    "responses": responses,
    "messages": messages,
    "gemini": gemini,
    "pydantic-ai": pydantic_ai,
    "langchain": langchain,
}


def main(instrumentation, api, address, folder, *runs):
    """Run the loop once for each run that is named, and keep its spans."""
    provider, spans, logs = instrumented(instrumentation)
    for run in runs:
        bug, _, stream = run.partition("+")
        scenario = SCENARIO.get(bug, "trace-tools")
        path = Path(folder, f"{instrumentation}.{api}.{run}.jsonl")
        with path.open("w", encoding="utf-8") as kept:
            spans.open(kept)
            if logs:
                logs.open(kept)
            try:
                LOOPS[api](f"{address}/case/{scenario}", bug, stream == "stream")
            except Exception as error:  # a loop with a bug may fail, and its spans are wanted all the same
                print(f"{path.name}: {type(error).__name__}: {str(error)[:200]}", file=sys.stderr)
            provider.force_flush()
        print(path.name, path.stat().st_size, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
