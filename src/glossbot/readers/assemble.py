"""Drafts of many files to one glossary: 'see' entries and repeated concepts joined, references resolved."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from urllib.parse import quote, urljoin

from glossbot.entry import Entry, Glossary, Place, fold, slug, unique_ids
from glossbot.readers import headword, markup
from glossbot.readers.document import Draft, ReadOptions, Reference
from glossbot.readers.language import Drafted, in_language

_LIST = re.compile(r"\s*[,;、]\s*|\s+(?:and|or|und|oder|et|ou|y|o|e)\s+", re.IGNORECASE)
_INDEX = re.compile(r"(^|/)_?index/$")
_QUOTES = "\"'“”„‘’«»「」"


@dataclass(kw_only=True, eq=False)
class _Concept:
    """An entry that is still growing."""

    first: Drafted
    term: str
    aliases: list[str]
    stands_for: str  # the full form that an abbreviation's headword states, folded: ``DSL (digital subscriber line)``
    definition: str
    references: list[str]
    fragments: set[str]  # those of the references that lead to a place on the same page
    url: str | None
    category: str | None
    others: list[Place] = field(default_factory=list)
    drafts: list[Drafted]

    def place(self) -> Place:
        return Place(file=self.first.document.label, line=self.first.draft.line, url=self.url)

    def notice(self, message: str, *, code: str) -> None:
        self.first.document.notice(self.first.draft.line, message, code=code, term=self.term)


def assemble(drafted: Sequence[Drafted], options: ReadOptions) -> Glossary:
    """Return the glossary that drafts make; what is wrong with one goes to its document's problems.

    Raises:
        GlossaryError: the language that was asked for is not among them.
    """
    concepts = [concept for one in in_language(drafted, options.language) if (concept := _concept(one, options))]
    concepts = list(_merged(_without_redirects(concepts)))
    names = _Names(concepts)
    ids = unique_ids([concept.term for concept in concepts])
    return Glossary(entries=tuple(_entry(concept, id_, names) for concept, id_ in zip(concepts, ids, strict=True)))


def _concept(one: Drafted, options: ReadOptions) -> _Concept | None:
    """Clean one draft; a draft without a term or a definition is a problem of its document."""
    draft, document = one.draft, one.document
    name = headword.split(markup.plain(draft.term))
    if not _is_headword(name.term):
        document.problem(
            draft.line,
            f"{draft.term!r} is no headword" if draft.term else "no headword",
            code="missing-headword",
        )
        return None
    url = _url(one, options)
    definition, references, fragments = markup.clean(draft.definition, base_url=url or options.base_url)
    if not markup.plain(definition):
        document.problem(draft.line, f"{name.term!r} has no definition", code="missing-definition", term=name.term)
        return None
    aliases = [*name.aliases]
    aliases += (other for alias in draft.aliases for other in headword.names(markup.plain(alias)))
    aliases += headword.also_known_as(definition, (name.term, *aliases))
    return _Concept(
        first=one,
        term=name.term,
        aliases=aliases,
        stands_for=next((fold(full) for full in name.aliases if len(full) > len(name.term)), ""),
        definition=definition,
        references=list(references),
        fragments=set(fragments),
        url=url,
        category=markup.plain(draft.category) or None if draft.category else None,
        drafts=[one],
    )


def _is_headword(term: str) -> bool:
    """Tell a headword, which may be a sign (``>>>``, ``%``), from what stands where there is none."""
    return bool(fold(term)) or bool(term.strip("-–—_?!*•· "))


def _url(one: Drafted, options: ReadOptions) -> str | None:
    """Return where an entry is published: the page that its file becomes, if it does, and its anchor there."""
    if options.base_url is None:
        return None
    page = options.base_url
    if one.page_suffix and (one.file.page or page.endswith("/")):
        path = PurePosixPath(one.file.page or one.file.path.name)
        below = path.with_suffix("").as_posix()
        if one.page_suffix == "/":
            below = _INDEX.sub(r"\1", f"{below}/")
        else:
            below += one.page_suffix
        page = urljoin(page.rstrip("/") + "/", quote(below))
    return f"{page}#{quote(one.draft.anchor)}" if one.draft.anchor else page


class _Names:
    """Everything that a reference may call a concept: names and slugs, anchors and keys."""

    def __init__(self, concepts: Iterable[_Concept]) -> None:
        self._by_mark: dict[tuple[Path | None, str], list[_Concept]] = defaultdict(list)
        self._by_name: dict[str, list[_Concept]] = defaultdict(list)
        for concept in concepts:
            for one in concept.drafts:
                for mark in filter(None, (one.draft.anchor, one.draft.key)):
                    self._by_mark[one.document.path, fold(mark)].append(concept)
                    self._by_mark[None, fold(mark)].append(concept)
            own = [name for name in (concept.term, *concept.aliases) if fold(name)]  # a sign has no slug
            for key in {fold(form) for name in own for form in (name, slug(name))}:
                self._by_name[key].append(concept)

    def find(self, name: str, *, by: _Concept) -> Sequence[_Concept]:
        """Return the concepts that another one means by a name; an anchor of its own file comes first."""
        key = fold(name)
        known = (
            self._by_mark.get((by.first.document.path, key)),
            self._by_name.get(key),
            self._by_mark.get((None, key)),
        )
        return next(filter(None, known), ())


def _without_redirects(concepts: list[_Concept]) -> list[_Concept]:
    """Make each entry that only says 'See X' another name of X, and of each of 'X and Y'."""
    redirects = {concept: target for concept in concepts if (target := headword.redirect(concept.definition))}
    if not redirects:
        return concepts
    names = _Names(concepts)
    targets = {concept: _targets(concept, text, names) for concept, text in redirects.items()}
    kept = []
    for concept in concepts:
        if concept not in redirects:
            kept.append(concept)
        elif ends := _ends(concept, targets):
            for end in ends:
                end.aliases += [concept.term, *concept.aliases]
        else:
            where = markup.plain(redirects[concept]).strip(_QUOTES)
            why = "which leads back to it" if targets[concept] else "which no entry is called"
            concept.notice(f"{concept.term!r} only points to {where!r}, {why}", code="dangling-reference")
            kept.append(concept)
    return kept


def _targets(concept: _Concept, text: str, names: _Names) -> list[_Concept]:
    """Return the concepts that a 'see' entry points to: by its links, else by the whole text, else by its parts."""

    def others(name: str) -> list[_Concept]:
        return [other for other in names.find(name.strip().strip(_QUOTES), by=concept) if other is not concept]

    linked = [other for name in concept.references for other in others(name)]
    whole = markup.plain(text)
    return linked or others(whole) or [other for part in _LIST.split(whole) for other in others(part)]


def _ends(concept: _Concept, targets: dict[_Concept, list[_Concept]]) -> list[_Concept]:
    """Follow 'see' entries that point to further ones; those that lead round in a circle end nowhere."""
    ends: dict[_Concept, None] = {}
    seen = {concept}
    waiting = list(reversed(targets[concept]))
    while waiting:
        other = waiting.pop()
        if other in seen:
            continue
        seen.add(other)
        if other in targets:
            waiting += reversed(targets[other])
        else:
            ends[other] = None
    return list(ends)


def _merged(concepts: Sequence[_Concept]) -> Iterator[_Concept]:
    """Join what several files say of one concept; two entries of one file with the same headword are two senses."""
    known: dict[tuple[str, str | None, str], _Senses] = {}
    # What names no language is in the one that most others are in.
    spoken = Counter(concept.first.language for concept in concepts if concept.first.language).most_common(1)
    usual = spoken[0][0] if spoken else None
    for concept in concepts:
        key = fold(concept.term) or concept.term
        senses = known.setdefault((key, concept.first.language or usual, concept.stands_for), _Senses())
        same = senses.find(concept)
        if same is None:
            continue
        if concept.definition not in same.definition:
            place = same.place()
            concept.notice(
                f"{concept.term!r} is defined in {place.file}:{place.line} too, in other words; "
                "both are kept in one entry",
                code="conflicting-definitions",
            )
            same.definition = f"{same.definition}\n\n{concept.definition}"
        same.others.append(concept.place())
        same.aliases += [concept.term, *concept.aliases]
        same.references += concept.references
        same.fragments |= concept.fragments
        same.drafts += concept.drafts
        same.category = same.category or concept.category
    for senses in known.values():
        yield from senses.all


class _Senses:
    """The senses that one headword has; each file adds to one sense after the other."""

    def __init__(self) -> None:
        self.all: list[_Concept] = []
        self._by_definition: dict[str, _Concept] = {}
        self._told_by: dict[Path, int] = {}  # how many of the senses, from the first one on, a file has spoken of

    def find(self, concept: _Concept) -> _Concept | None:
        """Return the sense that a concept of another file, or with the very same words, is; else it is a new one."""
        if same := self._by_definition.get(concept.definition):
            return same
        file = concept.first.document.path
        number = self._told_by.get(file, 0)
        self._told_by[file] = number + 1
        if number < len(self.all):
            return self._by_definition.setdefault(concept.definition, self.all[number])
        self.all.append(concept)
        self._by_definition[concept.definition] = concept
        return None


def _entry(concept: _Concept, id_: str, names: _Names) -> Entry:
    related: dict[str, None] = {}
    for name in dict.fromkeys(markup.plain(name) for draft in _drafts(concept) for name in draft.related):
        related[_resolve(concept, id_, name, names, stated=True) or name] = None
    for name in dict.fromkeys(concept.references):
        if name in concept.fragments:
            target = _resolve(concept, id_, name, names, stated=False)
        else:
            target = next((other.term for other in names.find(name, by=concept)), None)
        if target:
            related[target] = None
    # Another spelling is kept ("paged attention" beside "PagedAttention"): it embeds otherwise.
    aliases = dict.fromkeys(alias for alias in concept.aliases if fold(alias) and alias != concept.term)
    attributions = (one.draft.attribution or one.document.attribution or "" for one in concept.drafts)
    place = concept.place()
    return Entry(
        id=id_,
        term=concept.term,
        aliases=tuple(aliases),
        category=concept.category,
        definition=concept.definition,
        asked=tuple(dict.fromkeys(markup.plain(text) for draft in _drafts(concept) for text in draft.asked)),
        plain=" ".join(markup.clean(draft.plain).text for draft in _drafts(concept) if draft.plain) or None,
        related=tuple(name for name in related if fold(name) != fold(concept.term)),
        contrasts=tuple({(one.other, one.text): one for draft in _drafts(concept) for one in draft.contrasts}.values()),
        language=concept.first.language,
        attribution="; ".join(dict.fromkeys(filter(None, map(markup.plain, attributions)))) or None,
        file=place.file,
        line=place.line,
        url=place.url,
        others=tuple(concept.others),
    )


def _drafts(concept: _Concept) -> list[Draft]:
    return [one.draft for one in concept.drafts]


def _resolve(concept: _Concept, id_: str, name: str, names: _Names, *, stated: bool) -> str | None:
    """Return the headword that a reference means, and note the reference for those who check them."""
    target = next((other.term for other in names.find(name, by=concept)), None)
    reference = Reference(entry=id_, name=name, target=target, stated=stated)
    concept.first.document.references.append(reference)
    return target
