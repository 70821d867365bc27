"""A program that nobody has written: ``python program.py SEED [FAULT]`` does what a few real ones do, by the dice.

It is right: whatever it sends, the provider accepts, and it answers every call. With a fault it breaks one thing, once.
"""

import copy
import random
import sys
from concurrent.futures import ThreadPoolExecutor

from faults import applies, broken, thinks
from forms import other_form
from speech import APIS

SYSTEMS = ("", "You are brief.", "You help a shop with its orders. Never name a customer.")
TOOLS = ("get_price", "search_web", "write_note", "send_mail")
TOPICS = ("the moon", "a lamp", "rye bread", "order 7", "Lisbon", "the second law", "otters")
WAYS = ("agent", "agent", "agent", "batch", "chat", "twice", "votes", "team")


class Broken(Exception):
    """The program has done what is wrong with it, and ends."""


class Program:
    def __init__(self, seed, fault):
        self.dice = random.Random(seed)
        self.fault = fault

    def roll(self, chance):
        return self.dice.random() < chance

    def run(self):
        """One to three jobs, one after the other, or at once."""
        jobs = [self.job() for _ in range(self.dice.randint(1, 3))]
        if self.fault:
            jobs.insert(self.dice.randrange(len(jobs) + 1), Agent(self.dice, self.fault).run)
        if self.roll(0.4) and len(jobs) > 1:
            with ThreadPoolExecutor(len(jobs)) as pool:
                for each in [pool.submit(job) for job in jobs]:
                    each.result()
        else:
            for job in jobs:
                job()

    def job(self):
        return getattr(self, f"a_{self.dice.choice(WAYS)}")()

    def a_agent(self):
        return Agent(self.dice).run

    def a_chat(self):
        return Agent(self.dice, tools=()).run

    def a_twice(self):
        """One agent is asked the same again, from nothing."""
        agent = Agent(self.dice)
        other = agent.like()
        return lambda: (agent.run(), other.run())

    def a_votes(self):
        """The same agent several times at once."""
        agent = Agent(self.dice)
        agents = [agent, *(agent.like() for _ in range(self.dice.randint(1, 3)))]

        def vote():
            with ThreadPoolExecutor(len(agents)) as pool:
                list(pool.map(Agent.run, agents))

        return vote

    def a_team(self):
        """Agents with one system prompt and one set of tools take turns."""
        first = Agent(self.dice)
        agents = [first]
        for _ in range(self.dice.randint(1, 2)):
            agents.append(first.like())
            agents[-1].questions = self.dice.sample(TOPICS, len(first.questions))

        def take_turns():
            steps = [agent.steps() for agent in agents]
            while steps:
                steps = [each for each in steps if next(each, "over") != "over"]

        return take_turns

    def a_batch(self):
        """Independent requests behind examples: plain, or with a call that is forced and never answered."""
        api = APIS[self.dice.choice(sorted(APIS))]
        model, system = self.dice.choice(api.models), self.dice.choice(SYSTEMS)
        shots = []
        for topic in self.dice.sample(TOPICS, self.dice.randint(0, 3)):
            shots += [api.user(f"Text: {topic}"), api.model(f"Label: {len(topic)}")]
        force = self.dice.choice(TOOLS) if api.forces and self.roll(0.5) else None
        stream, threads = api.streams and self.roll(0.4), self.dice.choice((1, 1, 4))
        texts = [self.dice.choice(TOPICS) for _ in range(self.dice.randint(2, 6))]

        def one(text):
            history = [*shots, api.user(f"Text: {text}")]
            said = api.ask(api.body(model, history, system, [force] if force else [], force), stream)
            if not (said.calls or said.text):
                raise RuntimeError("an empty answer")

        def batch():
            with ThreadPoolExecutor(threads) as pool:
                list(pool.map(one, texts))

        return batch


class Agent:
    """One conversation: its questions, its tools, and its habits. ``fault`` is what it does wrong, once."""

    def __init__(self, dice, fault="", tools=None):
        roll = dice.random
        names = [name for name in sorted(APIS) if applies(fault, name)]
        self.name = dice.choice(names)
        self.api = APIS[self.name]
        self.model = dice.choice([each for each in self.api.models if thinks(fault, each)])
        self.system = dice.choice(SYSTEMS[1:] if fault == "drops the system" else SYSTEMS)
        self.tools = dice.sample(TOOLS, dice.randint(1, 3)) if tools is None else tools
        self.questions = dice.sample(TOPICS, dice.randint(1, 3))
        self.stream = self.api.streams and roll() < 0.5
        self.names_the_last = self.api.names_the_last and roll() < 0.4 and not fault
        self.shots = dice.randint(1, 2) if roll() < 0.3 else 0
        self.hedges, self.hangs_up = roll() < 0.2, self.api.streams and roll() < 0.2
        self.titles, self.asides, self.branches = roll() < 0.25, roll() < 0.25, roll() < 0.2
        self.regenerates, self.delegates, self.stops = roll() < 0.2, roll() < 0.2, roll() < 0.3
        self.other_forms = roll() < 0.3
        self.dice, self.fault, self.last = random.Random(dice.random()), fault, None

    def like(self):
        """The same with nothing said."""
        other = copy.copy(self)
        other.dice = random.Random(self.dice.random())
        return other

    def run(self):
        for _ in self.steps():
            pass

    def steps(self):
        """The conversation, request by request."""
        if self.titles:
            self.beside(f"Write a title for: {self.questions[0]}")
        history = []
        for at in range(self.shots):
            history += [self.api.user(f"Example {at}"), self.api.model(f"Answer {at}")]
        for number, question in enumerate(self.questions):
            history += self.formed([self.api.user(f"Tell me about {question}.")])
            faulty = self.fault if number == len(self.questions) - 1 else ""
            yield from self.answer(history, faulty)
            if self.asides and not (self.name == "bedrock" and self.tools):  # which wants tools beside their calls
                self.ask([*history, self.api.user("Write a title for this conversation.")], (), "aside")
            if self.branches and not self.names_the_last:
                self.answered([*history, self.api.user("Say it in French.")])
        if self.titles:
            self.beside(f"Summarise: {history}")

    def answered(self, history):
        for _ in self.answer(list(history), ""):
            pass

    def answer(self, history, fault):
        """Ask until there are no calls; ``history`` grows."""
        if self.stops and not self.tools and self.api.streams and not self.names_the_last:
            shown = self.api.ask(self.body(history, ()), True, self.dice.randint(2, 4))
            if shown and shown.strip():
                history += [self.api.model(shown), self.api.user("Go on.")]
        while True:
            if self.hangs_up and self.dice.random() < 0.5:
                self.api.ask(self.body(history, self.tools), True, self.dice.randint(1, 3))
            if self.hedges and self.dice.random() < 0.5:
                self.ask(history, self.tools, "hedge")
            said = self.ask(history, self.tools)
            yield said
            if not said.calls:
                if self.regenerates:
                    said = self.ask(history, self.tools, "again")
                history += self.formed(said.items)
                return
            self.go_on(history, said, fault)
            fault = ""

    def go_on(self, history, said, fault):
        """The model's turn and the results."""
        if fault == "loses the calls":
            raise Broken
        made = self.api.results(said.calls, self.result_of)
        turn = copy.deepcopy(said.items)
        if fault:
            turn, made = broken(self, fault, history, turn, said.calls, made)
        history += self.formed([*turn, *made])

    def formed(self, entries):
        """In this client's form."""
        reasons = self.model in ("gpt-5", "o4-mini")
        return [other_form(self.name, each, reasons) for each in entries] if self.other_forms else entries

    def result_of(self, name):
        """What a tool says; some ask the model themselves."""
        if self.delegates and self.dice.random() < 0.5:
            worker = self.like()
            worker.delegates, worker.questions = False, [f"{name} of {self.questions[0]}"]
            worker.fault, worker.last = "", None
            worker.run()
        return f"{name}: {self.dice.randint(1, 99)}"

    def ask(self, history, tools, why=""):
        body = self.body(history, tools)
        said = self.api.ask(body, self.stream)
        if self.names_the_last and not why:
            self.last = (said.name, len(history) + len(said.items))
        return said

    def body(self, history, tools):
        if not self.names_the_last:
            return self.api.body(self.model, list(history), self.system, tools, None)
        name, known = self.last or (None, 0)
        return self.api.follow(self.api.body(self.model, history[known:], self.system, tools, None), name)

    def beside(self, text):
        self.api.ask(self.api.body(self.api.models[0], [self.api.user(text)], "", (), None))


if __name__ == "__main__":
    try:
        Program(int(sys.argv[1]), " ".join(sys.argv[2:])).run()
    except Broken:
        print("Here is the answer.")
