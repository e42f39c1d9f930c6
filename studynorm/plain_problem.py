"""What a review and a drill by lines share: loading the engine, and posing a problem."""

import threading
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Protocol

import click

from studynorm.engine.grading import Verdict
from studynorm.engine.registry import UnknownFamily
from studynorm.engine.variant import Variant
from studynorm.plain_voice import Voice
from studynorm.storage.errors import StoreError
from studynorm.study.offers import Offer
from studynorm.study.situation import Key, ProblemPrompt


class Served(Protocol):
    """A session that names the variants it wants and takes them."""

    def wanted(self, most: int = 6) -> tuple[Key, ...]:
        """Return the variants that are not there yet."""
        ...

    def provide(self, key: Key, variant: Variant) -> None:
        """Take a variant."""
        ...

    def refuse(self, key: Key, reason: str) -> None:
        """Note that a variant cannot be drawn."""
        ...


class Posing(Protocol):
    """A session that stands at a problem."""

    @property
    def situation(self) -> object:
        """What the session stands at."""
        ...

    def submit(self, text: str) -> Verdict | None:
        """Judge a typed answer."""
        ...

    def hint(self) -> str | None:
        """Show the next hint."""
        ...

    def reveal(self) -> None:
        """Show the solution."""
        ...


class Engine:
    """Loads torch beside the session once a problem is coming, so that cards can be answered meanwhile."""

    def __init__(self) -> None:
        self._lab: ModuleType | None = None
        self._fault = ""
        self._thread: threading.Thread | None = None

    def _load(self) -> None:
        try:
            from studynorm.worker import lab
        except (ImportError, OSError) as missing:
            self._fault = str(missing)
        else:
            self._lab = lab

    def serve(self, session: Served, *, wait: bool) -> None:
        """Hand the session the variants it wants; `wait` for torch if it is still being loaded.

        Raises StoreError where a problem is waited for and torch cannot be loaded.
        """
        keys = session.wanted(3)
        if not keys:
            return
        if self._thread is None:
            self._thread = threading.Thread(target=self._load, daemon=True)
            self._thread.start()
        if wait:
            if self._thread.is_alive():
                click.echo("One moment: PyTorch is starting.", err=True)
            self._thread.join()
        if self._lab is None:
            if wait:
                raise StoreError(
                    f"torch cannot be loaded ({self._fault}); `python -c 'import torch'` says more"
                )
            return
        self._lab.use_one_thread()  # it was loaded in another thread than this
        for key in keys:
            try:
                variant = self._lab.variant(key.family, key.level, key.seed)
            except UnknownFamily as gone:
                session.refuse(key, str(gone))
            except Exception as broken:  # noqa: BLE001  a family may fail in any way, and each costs only itself
                session.refuse(key, f"{type(broken).__name__}: {broken}")
            else:
                session.provide(key, variant)

    def close(self) -> None:
        """Wait until torch is loaded: a program that ends in the middle of that may crash."""
        if self._thread is not None:
            self._thread.join()


def pose(
    voice: Voice,
    session: Posing,
    prompt: ProblemPrompt,
    commands: Sequence[str],
    others: Mapping[str, Callable[[], bool]],
    after_wrong: Callable[[], None] = lambda: None,
    takes: Callable[[str], bool] = lambda line: False,
) -> bool:
    """Show a problem and take answers until it is closed; False where one of `others` has ended it.

    `others` are the further commands; each returns whether the problem goes on. `after_wrong` is called
    after each wrong answer. `takes` is given every line first, and tells whether it was meant for it.
    """
    variant = prompt.variant
    voice.say("Question", variant.question)
    voice.tell(f"Answer with {variant.kind.how(variant.answer)}.")
    while not prompt.closed:
        line = voice.ask("Your answer:", commands)
        if takes(line):
            continue
        if line in others:
            if not others[line]():
                return False
        elif line == ":hint":
            _hint(voice, session)
        elif line == ":solution":
            session.reveal()
        elif line:
            _submit(voice, session, line, after_wrong)
        else:
            voice.tell("Type an answer, or :solution to see it.")
        assert isinstance(session.situation, ProblemPrompt)
        prompt = session.situation
    if prompt.solution_shown:
        voice.solution(variant)
    if variant.verification is not None:
        voice.tell(f"Verified with {variant.verification}.")
    return True


def _hint(voice: Voice, session: Posing) -> None:
    hint = session.hint()
    if hint is None:
        voice.tell("There is no further hint.")
    else:
        voice.say("Hint", hint)


def _submit(voice: Voice, session: Posing, line: str, after_wrong: Callable[[], None]) -> None:
    try:
        verdict = session.submit(line)
    except StoreError as refused:
        voice.tell(f"Not saved: {refused}")
        return
    assert verdict is not None
    voice.verdict(verdict)
    if verdict.outcome == "wrong":
        after_wrong()
    prompt = session.situation
    if isinstance(prompt, ProblemPrompt) and not prompt.closed and verdict.kept:
        voice.tell("One more try.")


def say_offers(voice: Voice, found: Sequence[Offer]) -> None:
    """Say on one line what there is to turn to after a wrong answer."""
    if found:
        voice.tell(f"On offer: {'; '.join(offer.text for offer in found)}.")
