"""Which conversation of a case a request belongs to: the main one, or one beside it (a title, a sub-agent).

An agent may ask for more than the answer to its prompt: a title, a topic, a summary, a quota probe, the turns of a
sub-agent, one after another or at once. Each of these is a conversation with its own history. So each request is
assigned to a conversation by its content, and judged against what was sent in that conversation.

If the harness has handed the prompt to the loop, these criteria decide, in this order:

1. the earlier response that a request names (``previous_response_id``, a thread, a stored conversation);
2. how it opens: its system prompt and its first user message;
3. which parts of model output it sends back: call ids, signatures, texts;
4. for a request that begins a conversation: whether it contains that prompt.

Otherwise the prompt is unknown, and requests that open alike may be unrelated. Then a request continues a conversation
only through what was issued in it (1 and 3), or by asking again for an answer that did not arrive whole. A request that
continues an earlier turn than the last, or continues as another agent, is a *branch*: a new conversation, in which
everything issued up to that turn is known.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from harness.endpoint.handed_prompt import HandedPrompt
from harness.endpoint.issued import IssuedIndex
from harness.endpoint.recognition import Opening, RecognisedRequest, plain
from harness.endpoint.source import Source
from harness.trace import MAIN
from harness.wire import Conversation, IssuedState, Message, Reply

OnChange = Callable[[Opening, Sequence[str]], None]


@dataclass(frozen=True, slots=True)
class SideScript:
    """The script of side conversations whose prompt contains ``mark``. ``source`` opens the script anew."""

    mark: str
    source: Callable[[], Source]


@dataclass(eq=False, slots=True)
class CaseConversation:
    """One conversation of a case.

    ``number`` is the conversation's number in the trace. ``issued`` is what the endpoint has sent in it. ``source``
    answers it; None: the case's own source. ``script`` is the index of its script in the scenario, None if it has none.
    ``requests`` counts its requests. ``declined`` counts those in an unserved form, which are asked again in another.
    ``asked`` is the latest request, and ``answered`` the number of turns issued before it. If this conversation is a
    branch, ``follows`` is the reply in another conversation that it continues.
    """

    number: int | None
    opening: Opening
    tools: frozenset[str]
    issued: IssuedState = field(default_factory=IssuedState)
    source: Source | None = None
    script: int | None = None
    requests: int = 0
    declined: int = 0
    asked: Conversation | None = None
    answered: int = 0
    follows: Reply | None = None

    @property
    def has_whole_answer(self) -> bool:
        """Whether the answer to the latest request was complete."""
        turns = self.issued.turns
        return len(turns) > self.answered and turns[-1][1].complete

    def has_gone_on(self, turn: int) -> bool:
        """Whether a whole turn has been issued after this one."""
        turns = self.issued.turns
        return turn + 1 < len(turns) and any(turns[at][1].complete for at in range(turn + 1, len(turns)))

    def asked_the_same(self, asked: Conversation) -> bool:
        """Whether the latest request asked the same."""
        last = self.asked
        return last is not None and (last.messages, last.continues) == (asked.messages, asked.continues)

    def restarted_by(self, asked: RecognisedRequest) -> bool:
        """Whether this request, which sends no model output back, restarts the conversation after an answer."""
        return self.number == MAIN and bool(self.issued.turns) and self.issued.turns[-1][1].complete and asked.is_fresh


class Conversations:
    """The conversations of one case.

    ``prompt`` are the (role, text) pairs of the scenario; None: the prompt is unknown, and the first conversation is
    the main one. ``tools`` are the names of the scenario's tools. ``by_harness``: the harness has passed both to the
    loop; otherwise somebody starts the loop with their own prompt. ``scripts`` answer side conversations, and
    ``unscripted`` opens the source for side conversations without a script; if it is None, the source of the case
    answers those, too. ``restart`` begins the script of the main conversation anew. ``alone``: every request belongs to
    the main conversation, for example because a caller rewrites the history. ``own_tools``: the loop brings its own
    tools, with any names, and declares them in its requests.

    Between ``step_aside`` and ``step_back`` every request belongs to a side conversation: the loop was asked for
    something else than the next answer (a summary).

    ``is_new`` takes the id of a history that the provider stores and returns whether nothing was asked in it yet.
    ``on_change`` is called when a conversation has begun or has been answered. It gets how the conversation opens and
    the marks by which the answer is recognised when it is sent back.
    """

    def __init__(
        self,
        prompt: Sequence[tuple[str, str]] | None = None,
        tools: Collection[str] = (),
        scripts: Sequence[SideScript] = (),
        unscripted: Callable[[], Source] | None = None,
        *,
        restart: Callable[[], Source] | None = None,
        by_harness: bool = True,
        alone: bool = False,
        own_tools: bool = False,
    ) -> None:
        self._prompt = None if prompt is None else HandedPrompt(prompt, frozenset(tools), by_harness, own_tools)
        self._scripts = scripts
        self._unscripted = unscripted
        self._restart = restart
        self._alone = alone
        self._is_handed = prompt is not None and by_harness
        self.on_change: OnChange | None = None
        self.is_new: Callable[[str], bool] = _never
        self._aside_from: int | None = None
        self._plainness = 0
        self._later_texts: list[str] = []
        self._compacted = False
        self._is_anew = False
        self._all: list[CaseConversation] = []
        self._issued: IssuedIndex[CaseConversation] = IssuedIndex()
        self._place: tuple[RecognisedRequest, tuple[CaseConversation | None, int]] | None = None
        self._unidentified = CaseConversation(None, ("", ""), frozenset())
        self.main = CaseConversation(MAIN, ("", ""), frozenset())

    def __iter__(self) -> Iterator[CaseConversation]:
        """The conversations with requests, in the order in which they began; unidentified requests come last."""
        yield from self._all
        if self._unidentified.requests:
            yield self._unidentified

    @property
    def why_not_main(self) -> str:
        """Why no request was recognised as the main conversation, as a text for a person."""
        if self._prompt is None or not self._prompt.by_harness:
            tools = ", ".join(sorted(self._prompt.tools)) if self._prompt is not None else ""
            return (
                f"no request offered the tools of the scenario ({tools}); a model calls no tool that it is not offered"
            )
        return "no request offered tools, or said the prompt of the case and nothing else"

    def find(self, asked: RecognisedRequest) -> CaseConversation | None:
        """The conversation that the request continues or asks again; None if the request begins a new one."""
        if self._aside_from is not None:  # the same words, asked another time, are another conversation
            return next((each for each in self._all[self._aside_from :] if each.opening == asked.opening), None)
        if self._alone and self._all:
            return self.main
        if self._is_handed:
            return self._named_conversation(asked) or self._opened_alike(asked) or self._issued_to(asked)
        return self._goes_on(asked)[0]

    def assign(self, asked: RecognisedRequest) -> CaseConversation:
        """Assign a request, which has arrived now, to its conversation."""
        found = self._new_branch(asked) or self.find(asked) or self._begin(asked)
        self._place = None
        if found.requests == 0 and found is not self._unidentified:
            found.opening, found.tools = asked.opening, asked.tools
            self._all.append(found)
            if found is self.main and self._prompt is not None:
                self._plainness = self._prompt.plainness(asked)
            if self.on_change is not None:
                self.on_change(found.opening, ())
        elif found is self.main and self._is_anew:
            self._opens_anew(asked)
        found.requests += 1
        found.asked, found.answered = asked.conversation, len(found.issued.turns)
        return found

    def goes_on_with(self, text: str, *, compacted: bool = False) -> None:
        """The user continues the main conversation with these words. ``compacted``: it may now open with a summary."""
        self._later_texts.append(plain(text))
        self._compacted = compacted

    def step_aside(self) -> None:
        """The loop is asked for something else than the next answer: its requests now begin side conversations."""
        self._aside_from = len(self._all)

    def step_back(self) -> None:
        """The loop has done what it was asked for beside the main conversation."""
        self._aside_from = None

    def make_anew(self) -> None:
        """The main conversation has a new history from now on: requests need not begin like earlier ones."""
        self.main.issued.made_anew = len(self.main.issued.turns)
        self._is_anew = True

    def _opens_anew(self, asked: RecognisedRequest) -> None:
        """Note how the first request with the new history opens: the requests that continue it open the same way."""
        self._is_anew = False
        self.main.opening = asked.opening
        if self.on_change is not None:
            self.on_change(asked.opening, ())

    def may_be_begun_again(self, opening: Opening) -> bool:
        """Whether a request with this opening that sends nothing back may belong to a conversation of this case. It may
        if that conversation has no whole answer."""
        if opening == ("", ""):
            return False
        alike = [each.issued.turns for each in self._all if each.opening == opening]
        return len(alike) > 1 or (len(alike) == 1 and not (alike[0] and alike[0][-1][1].complete))

    def remember(self, conversation: CaseConversation, asked: Conversation, reply: Reply) -> None:
        """Note that the endpoint answered ``asked`` (as resolved) with ``reply``."""
        marks = self._issued.add(conversation, len(conversation.issued.turns), asked, reply)
        conversation.issued.add(asked, reply)
        if self.on_change is not None:
            named = () if asked.continues is None else (f"reply {asked.continues}",)
            self.on_change(conversation.opening, (*marks, *named))

    def number_of(self, call_id: str | None) -> int:
        """The number of the conversation in which a call with this id was sent; the main one if that is not certain."""
        known = self._issued.owners(f"id {call_id}") if call_id else ()
        return known[0].number or MAIN if len(known) == 1 else MAIN

    # --- requests that continue what was issued, with any prompt --------------------------------------------------

    def _goes_on(self, asked: RecognisedRequest) -> tuple[CaseConversation | None, int]:
        """The conversation that the request continues, and the turn that it continues; ``_AGAIN``: it asks again.

        The caller assigns the request right after this; nothing is issued in between.
        """
        if self._place is not None and self._place[0] is asked:
            return self._place[1]
        found = self._found(asked)
        self._place = None if found[0] is None else (asked, found)
        return found

    def _found(self, asked: RecognisedRequest) -> tuple[CaseConversation | None, int]:
        for each in reversed(self._all):
            if not each.has_whole_answer and each.asked_the_same(asked.conversation):
                return each, _AGAIN
        if asked.conversation.continues is not None:
            issued = self._issued.named(asked.conversation.continues)
            return (issued.owner, issued.turn) if issued is not None else (self._named_conversation(asked), _AGAIN)
        found = None if asked.is_fresh else self._issued.latest(asked)
        if found is None:
            return None, _AGAIN
        turn = found.turn if not found.owner.has_gone_on(found.turn) else self._issued.last_turn(asked, found.owner)
        return found.owner, turn

    def _new_branch(self, asked: RecognisedRequest) -> CaseConversation | None:
        """A new conversation for a request that continues an earlier turn than the last, or continues as another agent;
        None for any other request."""
        if asked.is_fresh or self._is_handed or self._alone or self._aside_from is not None:
            return None
        found, turn = self._goes_on(asked)
        if found is None or turn == _AGAIN or not (found.has_gone_on(turn) or _is_of_another(asked, found)):
            return None
        made = CaseConversation(self._next_number(), ("", ""), frozenset(), source=found.source, script=found.script)
        for each in found.issued.turns[: turn + 1]:
            made.issued.add(*each)
        made.follows = None if _is_of_another(asked, found) else found.issued.turns[turn][1]
        return made

    # --- requests in a conversation whose prompt the harness has handed over -------------------------------------

    def _named_conversation(self, asked: RecognisedRequest) -> CaseConversation | None:
        named = asked.conversation.continues
        if named is None:
            return None
        if (issued := self._issued.named(named)) is not None:
            return issued.owner
        stored = [each for each in self._all if any(issued.continues == named for issued, _ in each.issued.turns)]
        if not stored and self.is_new(named):
            return None
        return stored[0] if stored else self.main if self.main.requests else None

    def _opened_alike(self, asked: RecognisedRequest) -> CaseConversation | None:
        opening = asked.opening
        alike = [each for each in self._all if each.opening == opening and opening != ("", "")]
        if not alike:
            return None
        if len(alike) > 1:
            if (found := self._issued_to(asked, alike)) is not None:
                return found
            if asked.is_fresh:
                return None if self._is_another(asked, alike[-1]) else alike[-1]
            # A request that sends back nothing of a side conversation continues none of them.
            return self._unidentified if self.main in alike else None
        (one,) = alike
        return None if self._is_another(asked, one) else one

    def _is_another(self, asked: RecognisedRequest, found: CaseConversation) -> bool:
        """Whether a request that opens like ``found`` begins a conversation of its own.

        A second sub-agent with the same prompt begins one. So does a question about the history that is repeated when
        the history has grown: it sends nothing of the first answer back. If the prompt is unknown, a request that
        repeats an answered request begins one, too.
        """
        if not found.issued.turns:
            return False
        last = found.issued.turns[-1][1]
        if not asked.is_fresh:
            return found.number != MAIN and last.complete and not self._sends_back(asked, found)
        return found.number != MAIN or (self._prompt is None and last.complete and not last.turn.calls)

    def _sends_back(self, asked: RecognisedRequest, conversation: CaseConversation) -> bool:
        """Whether the request contains any model output of the conversation."""
        return self._issued.latest(asked, (conversation,)) is not None

    def _issued_to(
        self, asked: RecognisedRequest, among: Collection[CaseConversation] | None = None
    ) -> CaseConversation | None:
        """The conversation of the latest part of model output that the request sends back."""
        found = self._issued.latest(asked, among)
        return None if found is None or (among is None and _is_aside(asked, found.owner)) else found.owner

    # --- requests that begin a conversation -------------------------------------------------------------------

    def _begin(self, asked: RecognisedRequest) -> CaseConversation:
        is_aside = self._aside_from is not None
        if not is_aside and self._is_main(asked):
            return self.main
        if not is_aside and self._takes_over(asked):
            self._plainness = 0
            self.main.number = self._next_number()
            self.main = CaseConversation(MAIN, ("", ""), frozenset(), source=self._restart() if self._restart else None)
            return self.main
        text = asked.prompt
        made = CaseConversation(self._next_number(), ("", ""), frozenset())
        made.script = next((at for at, script in enumerate(self._scripts) if plain(script.mark) in text), None)
        if made.script is not None:
            made.source = self._scripts[made.script].source()
        elif self._unscripted is not None:
            made.source = self._unscripted()
        return made

    def _next_number(self) -> int:
        return 1 + sum(each.number != MAIN for each in self._all)

    def _takes_over(self, asked: RecognisedRequest) -> bool:
        """Whether the request begins the main conversation, although an earlier request was taken for its beginning.

        If the case has no tools, an agent's request for a title may look like the main conversation, until a request
        contains the prompt more plainly or with tools. If the case has tools, a request without the prompt may look so.
        """
        if self._prompt is None or not self._prompt.by_harness or not self.main.requests:
            return False
        if self._prompt.tools and (self._plainness or not asked.tools):
            return False
        return self._prompt.plainness(asked) > self._plainness

    def _is_main(self, asked: RecognisedRequest) -> bool:
        if self._alone:
            return True
        if not self.main.requests:
            return self.begins_main(asked)
        if self._prompt is None or not self._is_handed:
            return False
        if self._is_prolonged(asked) or self._is_asked_again(asked):
            return True
        same_tools = bool(self.main.tools) and asked.tools == self.main.tools
        return same_tools and (self._prompt.is_quoted(asked) or asked.opening[0] == self.main.opening[0])

    def _is_prolonged(self, asked: RecognisedRequest) -> bool:
        """Whether the request opens with later words of the user. A loop that has no model output between prompt and
        words puts them into one message; a loop that has forgotten the prompt sends only the words."""
        prompt, text_now = self.main.opening[1], asked.opening[1]
        ordered = self._prompt is None or self._prompt.is_ordered(asked)
        if self._compacted and asked.tools == self.main.tools and self._later_texts[-1] in asked.user:
            return True
        return ordered and any(
            text_now == text or (text_now.startswith(prompt) and text_now.endswith(text)) for text in self._later_texts
        )

    def _is_asked_again(self, asked: RecognisedRequest) -> bool:
        """Whether the request asks again after an empty answer: then it has more text in the message of the prompt."""
        if not self.main.issued.turns or self.main.issued.turns[-1][1].turn.parts:
            return False
        system, prompt = self.main.opening
        return asked.is_fresh and asked.opening[0] == system and asked.opening[1].startswith(prompt)

    def begins_main(self, asked: RecognisedRequest) -> bool:
        """Whether the request would begin the main conversation if there were none yet.

        If somebody starts the loop with their own prompts, another run begins with the system prompt of the first run.
        """
        if self._prompt is not None and self._prompt.own_tools:
            return self._prompt.begins_with(asked)  # an agent's own instructions may have any words
        if self._prompt is None or any(plain(script.mark) in asked.prompt for script in self._scripts):
            return self._prompt is None
        if self.main.requests and not self._prompt.by_harness and asked.opening[0] != self.main.opening[0]:
            return False
        return self._prompt.begins_with(asked)


def _is_aside(asked: RecognisedRequest, of: CaseConversation) -> bool:
    """Whether the request quotes a conversation to ask something about it: a summary, a topic.

    Such a request has another system prompt, offers other tools, and ends with a text of the user. (A loop that demands
    an answer at its turn limit may offer no tools either, but its system prompt stays the same.)
    """
    messages = asked.conversation.messages
    if asked.opening[0] == of.opening[0] or asked.tools == of.tools or not messages:
        return False
    return _is_of_the_user(messages[-1])


def _is_of_another(asked: RecognisedRequest, than: CaseConversation) -> bool:
    """Whether a request that sends back what a conversation issued comes from another agent: it has another system
    prompt, and asks about that conversation (a summary) or continues it with other tools (an agent that took over)."""
    orders = asked.opening[0]
    if orders == than.opening[0] or (asked.tools and asked.tools == than.tools):
        return False
    messages = asked.conversation.messages
    return bool(messages) and (_is_of_the_user(messages[-1]) or bool(orders and asked.tools))


def _is_of_the_user(message: Message) -> bool:
    return message.role == "user" and not message.results and bool(message.text.strip())


_AGAIN: Final = -1
"""Replaces the number of the turn if a request asks again for an answer."""


def _never(id: str) -> bool:  # noqa: ARG001 - the signature of is_new
    """The default of ``is_new``: without stored histories none is new."""
    return False
