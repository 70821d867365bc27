"""What a loop makes of what the user says while it runs, and of another run."""

from __future__ import annotations

from dataclasses import replace

from harness.trace import (
    CallerRecord,
    Failure,
    Final,
)
from harness.wire import FinishReason, Result, Text, Turn
from harness_lab.mutants.traces.plain import PlainRun, call, says
from harness_lab.mutants.traces.small_run import SmallRun
from harness_lab.mutants.traces.small_runs.acting import (
    BROKE,
    CALLS,
    CALLS_MORE,
    EARLY_MESSAGE,
    LOSE,
    WORDS,
    act,
    acted,
    acting,
    appended,
    before_results,
    begins,
    both_in_one,
    in_request,
    no_request_follows,
    only_the_last,
    put,
    say_again,
    say_first_again,
)
from harness_lab.mutants.traces.small_runs.changes import (
    case,
    gone,
    having,
    part,
)

# --- what the user says -----------------------------------------------------------------------------------------

_MESSAGE_TEXT = PlainRun((CALLS, says("No.")), acts={2: (CallerRecord("say", WORDS),)})
_LATE_MESSAGE = PlainRun(
    (CALLS, Turn((call("enter", "call_3", basin="n"),)), says("No.")), acts={3: (CallerRecord("say", WORDS),)}
)
_MESSAGE_TWICE = PlainRun(
    (CALLS, Turn((call("enter", "call_3", basin="n"),)), says("No.")),
    acts={2: (CallerRecord("say", WORDS),), 3: (CallerRecord("say", WORDS),)},
)
_MESSAGE_IN_THE_SECOND_RUN = PlainRun(
    (CALLS, says("Yes."), CALLS_MORE, says("No.")), acts={3: begins(), 4: (CallerRecord("say", WORDS),)}
)
_MESSAGE_AFTER_ALL = PlainRun((CALLS, says("Yes."), says("No.")), acts={3: (CallerRecord("say", WORDS),)})
_MESSAGE_CUT = PlainRun(
    (CALLS, replace(says("Yes, as"), stop=FinishReason.MAX_TOKENS), says("No.")),
    acts={3: (CallerRecord("say", WORDS),)},
)
_RUNS = PlainRun((CALLS, says("Yes."), says("No.")), acts={3: begins()})
_RUNS_ON = PlainRun((CALLS, says("Yes."), Turn((call("enter", "call_3", basin="n"),)), says("No.")), acts={3: begins()})
_SAME_AGAIN = PlainRun((CALLS, says("Yes."), says("Yes."), says("No.")), acts={3: begins(), 4: begins()})
_MESSAGE_THEN_RUN = PlainRun((CALLS, says("Yes."), says("No.")), acts={3: (CallerRecord("say", WORDS), *begins())})

_SAYS = (
    *acting(
        "caller/message-sent",
        _MESSAGE_TEXT,
        ("said-and-sent", "What the user says is in the next request.", []),
        ("said-and-not-sent", "It is not.", [LOSE]),
        ("said-among-words", "It is there among other words.", [both_in_one("The user says: {0} Now.")]),
        (
            "said-in-spaces",
            "It is there in other white space.",
            [part(Text, having(text="Mind\n the  crane."), -1, "user")],
        ),
        ("said-in-part", "Only its beginning is there.", [part(Text, having(text="Mind the"), -1, "user")]),
        ("said-and-there-twice", "It is there twice.", [say_again]),
        ("said-twice-in-one", "It is there twice, in one message.", [both_in_one("{0} {0}")]),
        ("said-and-empty", "The user says nothing.", [act("say", text=""), LOSE]),
        (
            "said-and-never-asked",
            "The run goes on, and nothing is asked.",
            [no_request_follows("say", Final("", text="Yes."))],
        ),
        (
            "said-before-a-failure",
            "The run fails, so the caller may say it again.",
            [no_request_follows("say", Failure("internal", "It broke."))],
        ),
        (
            "said-before-the-limit",
            "The run ends at its limit.",
            [no_request_follows("say", Final("", "turn-limit")), case(turn_limit=1)],
        ),
        (
            "said-in-the-last-turn",
            "The run has no turn left.",
            [no_request_follows("say", Final("", text="Yes.")), case(turn_limit=1)],
        ),
        (
            "said-in-the-last-turn-but-one",
            "The run has a turn left.",
            [no_request_follows("say", Final("", text="Yes.")), case(turn_limit=2)],
        ),
        (
            "said-and-cancelled",
            "The run is cancelled.",
            [
                no_request_follows("say"),
                lambda draft: draft.records.append(CallerRecord("cancel")),
            ],
        ),
        (
            "said-behind-a-cancel",
            "The run was cancelled before it.",
            [
                lambda draft: draft.records.insert(acted(draft.records, "say", 0), CallerRecord("cancel")),
                no_request_follows("say", Final("", text="Yes.")),
            ],
        ),
        (
            "said-by-another",
            "The model has it as its own.",
            [part(Text, gone, -1, "user"), put("assistant", Text(WORDS), before=Text)],
        ),
    ),
    *acting(
        "caller/message-sent",
        EARLY_MESSAGE,
        ("said-and-sent-on", "It is in all requests behind.", []),
        ("said-and-sent-once-more", "A later request has it once more.", [say_first_again]),
        (
            "said-and-quoted-later",
            "A later request quotes it in other words of the user's.",
            [put("user", Text(f"You said: {WORDS} So?"), before=Result)],
        ),
        ("said-and-sent-later", "Only the request behind the next one has it.", [in_request(1, LOSE)]),
    ),
    *acting(
        "caller/message-sent",
        _LATE_MESSAGE,
        ("said-late-and-lost", "It is in no request.", [LOSE]),
        ("said-late-and-sent", "It is in the next request.", []),
    ),
    *acting(
        "caller/message-sent",
        _MESSAGE_TWICE,
        ("same-words-twice", "The user says the same twice, and both are sent.", []),
        ("same-words-once", "The user says the same twice, and one is sent.", [LOSE]),
        ("same-words-thrice", "The user says the same twice, and three are sent.", [say_again]),
        (
            "same-words-once-in-another-history",
            "The user says the same twice, and one is sent, behind other words than before.",
            [LOSE, part(Text, having(text="A summary."), 0, "user")],
        ),
    ),
    *acting(
        "caller/message-sent",
        _MESSAGE_AFTER_ALL,
        ("said-at-the-end", "Said when the model was done, and sent.", []),
        ("said-at-the-end-and-lost", "Said when the model was done, and not sent.", [LOSE]),
        (
            "said-at-the-end-of-all",
            "Said when the model was done, and the run ends.",
            [no_request_follows("say", Final("", text="Yes."))],
        ),
    ),
    *acting(
        "caller/message-sent",
        _MESSAGE_CUT,
        (
            "said-behind-a-cut",
            "The last answer was cut short, and the run ends.",
            [no_request_follows("say", Final("", "truncated", text="Yes, as"))],
        ),
        (
            "said-behind-a-cut-unsaid",
            "The last answer was cut short, and no end is reported.",
            [no_request_follows("say")],
        ),
        ("said-behind-a-cut-and-lost", "The last answer was cut short, and the next request lacks it.", [LOSE]),
    ),
    *acting(
        "caller/message-sent",
        _MESSAGE_IN_THE_SECOND_RUN,
        (
            "said-in-the-second-run",
            "The second run has a turn left, though both together have none.",
            [no_request_follows("say", Final("", text="Yes.")), case(turn_limit=2)],
        ),
        (
            "said-in-a-cancelled-second-run",
            "The second run is cancelled behind a request that lacks it.",
            [LOSE, lambda draft: draft.records.append(CallerRecord("cancel"))],
        ),
    ),
    *acting(
        "caller/message-sent",
        _RUNS,
        ("another-run", "Another run begins with what the user says.", []),
        ("another-run-without-words", "Another run begins without what the user says.", [LOSE]),
        ("another-run-never-asks", "Another run begins, and asks nothing.", [no_request_follows("run")]),
        (
            "another-run-fails",
            "Another run begins, and fails before it asks.",
            [no_request_follows("run", Failure("internal", "It broke."))],
        ),
        (
            "another-run-breaks",
            "Another run begins, and its program breaks before it asks.",
            [no_request_follows("run", BROKE)],
        ),
        (
            "another-command-breaks",
            "The command with which a coding agent was to go on breaks before it asks.",
            [no_request_follows("run", BROKE), case(profile="coding-agent")],
        ),
        (
            "another-command-refuses",
            "The command with which a coding agent was to go on says that it has failed.",
            [no_request_follows("run", Failure("internal", "It broke.")), case(profile="coding-agent")],
        ),
        ("another-run-there-twice", "It is there twice.", [say_again]),
        (
            "another-run-forgets",
            "Another run begins, and has only what the user says now.",
            [only_the_last],
        ),
    ),
    *acting(
        "caller/message-sent",
        _RUNS_ON,
        ("another-run-goes-on", "Another run has two turns.", []),
        ("another-run-says-it-again", "Its second request has the message once more.", [say_first_again]),
        ("another-run-loses-it", "Its second request has lost it.", [LOSE]),
    ),
    *acting(
        "caller/message-sent",
        _SAME_AGAIN,
        ("same-run-again", "A third run begins with the same words.", []),
        ("same-run-again-and-lost", "The third run has the words of the second alone.", [LOSE]),
    ),
    *acting(
        "caller/message-sent",
        _MESSAGE_THEN_RUN,
        ("said-then-run", "What was said is sent in the next run.", []),
        ("said-then-run-and-lost", "What was said is not sent in the next run.", [part(Text, gone, -2, "user")]),
    ),
    *acting(
        "caller/message-last",
        _MESSAGE_TEXT,
        (
            "said-behind-results-in-two",
            "It is behind the results, in two parts.",
            [part(Text, lambda old: [replace(old, text=old.text[:4]), replace(old, text=old.text[4:])], -1, "user")],
        ),
        ("said-before-results", "It is in front of both results.", [before_results(0)]),
        ("said-between-results", "It is between two results.", [before_results(1)]),
        (
            "said-before-results-among-words",
            "It is in front of the results, among other words.",
            [both_in_one("The user says: {0}"), before_results(0)],
        ),
        (
            "said-before-results-and-echoed",
            "It is in front of the results, and the model says the same words behind them.",
            [before_results(0), lambda draft: appended(draft, "assistant", WORDS)],
        ),
        (
            "said-before-and-behind",
            "It is in front of the results, and behind them.",
            [put("user", Text(WORDS), before=Result, which=0)],
        ),
    ),
    *acting(
        "caller/message-role",
        _MESSAGE_TEXT,
        (
            "said-as-the-models",
            "It is sent as the model's.",
            [LOSE, lambda draft: appended(draft, "assistant", WORDS)],
        ),
        (
            "said-as-an-order",
            "It is sent as a system message.",
            [LOSE, lambda draft: appended(draft, "system", WORDS)],
        ),
        (
            "said-as-both",
            "It is sent as the user's and as the model's.",
            [lambda draft: appended(draft, "assistant", f"You say: {WORDS}")],
        ),
    ),
)

USER_MESSAGES: tuple[SmallRun, ...] = _SAYS
