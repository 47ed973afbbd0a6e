"""Describe the reasons for the language of a page in words, for `explain` and for a page of `serve`."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Final, NamedTuple

from graphlang.codes import languages
from graphlang.printing import quantity, visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from graphlang.analysis.explain import Explanation, ReadText, Reason, Score
    from graphlang.db.corrections import Correction

_EXCERPT: Final = 120  #: characters of a text that are shown


class Line(NamedTuple):
    """A fact about a page."""

    head: str  #: one or two words: ``answer``, ``text says``
    text: str


def format_explanation(page: Explanation, neighbours: int) -> str:
    """Format an explanation as lines of text, with a limited number of neighbours."""
    lines = [visible(page.url), *(f"  {line.head:<11} {line.text}".rstrip() for line in list_facts(page))]
    if page.reasons:
        lines += [f"  {line.head:<11} {line.text}" for line in list_sums(page)]
        link_reasons = [reason for reason in page.reasons if reason.url is not None]
        listed = [*(reason for reason in page.reasons if reason.url is None), *link_reasons[:neighbours]]
        lines += map(_format_reason, listed)
        if hidden := link_reasons[neighbours:]:
            lines.append(f"    {sum(reason.log_odds for reason in hidden):+8.2f}  {len(hidden)} more neighbours")
    if page.rounds:
        lines.append(f"  rounds      {' -> '.join(list_steps(page.rounds))}")
    return "\n".join(lines)


def list_facts(page: Explanation) -> Iterator[Line]:
    """Yield the answer, and the evidence of the page and its text."""
    yield from _describe_answer(page)
    yield from _describe_page(page)
    for source, value, code in page.declared:
        yield Line("declared", f"{source}: {visible(value)} ({name_language(code) if code else 'unknown language'})")
    for source, value, code in page.announced:
        name = name_language(code) if code else "unknown language"
        yield Line("announced", f"hreflang {visible(value)} ({name}) by {visible(source)}")
    if page.territory:
        yield Line("country", f"languages of its ccTLD: {', '.join(page.territory[:5])}")


def _describe_answer(page: Explanation) -> Iterator[Line]:
    run = f"run {page.run.id}, {page.run.title}" if page.run else "no run yet"
    if page.run and page.run.at:
        run += f", at {page.run.at}"
    if page.by_hand:
        run = "by hand"
    script = f" in {page.script}" if page.script else ""
    yield Line("answer", f"{name_language(page.language)}{script}, confidence {page.confidence:.3f} ({run})")
    if page.runner_up:
        yield Line("runner-up", name_language(page.runner_up))
    for correction in reversed(page.corrections):
        yield _describe_correction(correction)
    if page.stale:
        yield Line("note", "pages were read or corrected since that run; the reasons below are those of today")


def _describe_correction(correction: Correction) -> Line:
    note = f": {visible(correction.note)}" if correction.note else ""
    before = "; before: no answer"
    if correction.former:
        before = f"; before: {correction.former}, confidence {correction.former_confidence:.3f}"
    undone = ""
    if correction.undone:
        by = f" by {visible(correction.undone_by)}" if correction.undone_by else ""
        undone = f"; undone {correction.undone}{by}"
    head = f"{name_language(correction.language)} by {visible(correction.corrected_by)}, {correction.corrected}"
    return Line("corrected", f"{head}{note}{before}{undone}")


def _describe_page(page: Explanation) -> Iterator[Line]:
    facts = page.facts
    if page.fetched:
        status = "no status" if facts["status"] is None else f"status {facts['status']}"
        mime, date = visible(str(facts["mime"])) or "no media type", facts["date"] or "no date"
        yield Line("page", f"{status}, {mime}, {date}, in {visible(str(facts['file']))}")
        if facts["charset"]:
            yield Line("charset", f"{visible(str(facts['charset']))} (from: {facts['charset_from']})")
        yield Line("text", f"{facts['length']:,} characters: {visible(page.excerpt)}")
        if page.reading:
            yield from _describe_reading(page.reading)
    else:
        yield Line("page", "never fetched, only linked to")
    scores = ", ".join(f"{score.language} {score.probability:.3f}" for score in page.text)
    yield Line("by text", scores or "no text")


def _describe_reading(reading: ReadText) -> Iterator[Line]:
    text = " ".join(reading.text.split())
    yield Line("read", f"{len(reading.text):,} characters: {visible(text[:_EXCERPT])}")
    if reading.template_lines:
        lines, pages = quantity(len(reading.template_lines), "line"), quantity(reading.pages, "page")
        excerpt = visible(" | ".join(reading.template_lines)[:_EXCERPT])
        yield Line("not read", f"{lines} that {pages} of this host have: {excerpt}")


def list_sums(page: Explanation) -> Iterator[Line]:
    """Yield the sum of the reasons, and notes about them."""
    best = page.rounds[-1].language if page.rounds else page.language
    if best != page.language and not page.by_hand and not page.stale:
        note = "no evidence in the page, or in any page connected with it by links: no answer"
        if page.unknown:
            note = "its text is long and in no language that the method knows: no answer, and its links do not count"
        yield Line("note", f"{note}, though {best} is likelier")
    # The runner-up is that of the stored answer; where pages were read or corrected since, another one may be second.
    second = f" over {page.runner_up}" if page.runner_up and best == page.language and not page.stale else ""
    yield Line("reasons", f"log-odds of {best}{second}: {page.log_odds or 0:+.2f}, the sum of")
    link_reasons = [reason for reason in page.reasons if reason.url is not None]
    if page.run and page.run.kind == "vote" and link_reasons and not any(reason.weight for reason in link_reasons):
        yield Line("note", "the pages that vote are in different languages: the vote abstains, its text decides")


def _format_reason(reason: Reason) -> str:
    where = f"{reason.link} {visible(reason.url)}" if reason.url else ""
    return (
        f"    {reason.log_odds:+8.2f}  {reason.source:<10}  best: {reason.language or '-':<4}"
        f" weight {reason.weight:.2f}  {where}"
    ).rstrip()


def list_steps(rounds: list[Score]) -> Iterator[str]:
    """Yield the start and each round, with runs of equal rounds joined."""
    for step, same in groupby(f"{step.language} {step.probability:.3f}" for step in rounds):
        times = sum(1 for _ in same)
        yield step if times == 1 else f"{step} (x {times})"


def name_language(code: str) -> str:
    """Return a code with its name: ``swe (Swedish)``."""
    return f"{code} ({languages.name(code)})"
