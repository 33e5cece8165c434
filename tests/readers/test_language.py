"""Which language of a glossary in several is read, and which files are translations of each other."""

from pathlib import Path

import pytest

from glossbot import readers
from glossbot.errors import GlossaryError
from glossbot.readers import ReadOptions
from glossbot.readers.document import Document, Draft
from glossbot.readers.files import SourceFile
from glossbot.readers.language import Drafted, in_language
from glossbot.readers.translations import Translation, translations

DOCUMENT = Document(path=Path("/a.tbx"), label="a.tbx", data=b"")
FILE = SourceFile(path=Path("/a.tbx"), label="a.tbx", named=True)


def drafts(*languages_and_keys: tuple[str | None, str | None]) -> list[Drafted]:
    DOCUMENT.notices.clear()
    return [
        Drafted(
            Draft(term=f"{key} {language}", definition="X.", line=1, language=language, key=key), DOCUMENT, FILE, ""
        )
        for language, key in languages_and_keys
    ]


def chosen(wanted: str | None, *languages_and_keys: tuple[str | None, str | None]) -> list[str]:
    return [one.draft.term for one in in_language(drafts(*languages_and_keys), wanted)]


MANY: list[tuple[str | None, str | None]] = [(language, key) for key in "1245" for language in ("de", "en")]
MANY += [("fr", "1"), ("fr", "3"), ("de", "3"), ("de", None)]


def test_each_concept_is_read_in_english_where_it_has_that() -> None:
    assert chosen(None, *MANY) == ["1 en", "2 en", "4 en", "5 en", "3 fr", "None de"]
    (notice,) = DOCUMENT.notices
    assert "left out: de 5, fr 1" in notice.message
    assert "--lang CODE reads another" in notice.message


def test_the_language_that_is_asked_for_is_read() -> None:
    assert chosen("de", *MANY) == ["1 de", "2 de", "4 de", "5 de", "3 de", "None de"]
    assert chosen("FR", *MANY) == ["1 fr", "3 fr"]
    assert DOCUMENT.notices == []


def test_all_languages_are_read_where_that_is_asked_for() -> None:
    assert len(chosen("all", *MANY)) == len(MANY)


def test_a_language_that_is_not_there_is_refused() -> None:
    with pytest.raises(GlossaryError, match="no entry in the language 'es'; there are: de, en, fr"):
        chosen("es", *MANY)


def test_a_glossary_that_names_no_language_is_in_the_one_that_is_asked_for() -> None:
    assert len(chosen("es", (None, "1"), (None, None))) == 2
    assert chosen("es", ("es", "1"), (None, "2"), ("de", "3"), (None, "1")) == ["1 es", "2 None"]


def test_a_region_is_exact_where_it_is_there() -> None:
    some = (("zh-CN", "1"), ("zh_TW", "1"), ("en", "1"))
    assert chosen("zh-TW", *some) == ["1 zh_TW"]
    assert chosen("zh", *some) == ["1 zh-CN", "1 zh_TW"]
    assert chosen("en-GB", *some) == ["1 en"]


def test_the_main_language_is_the_one_that_most_concepts_have() -> None:
    assert chosen(None, ("sv", "1"), ("sv", "2"), ("sv", "3"), ("en", "3"), ("sv", "4"), ("fi", "4")) == [
        "1 sv",
        "2 sv",
        "3 sv",
        "4 sv",
    ]


def test_one_language_needs_no_choice() -> None:
    assert len(chosen(None, ("de", "1"), ("de", "1"), ("de", None))) == 3
    assert DOCUMENT.notices == []


# ---------------------------------------------------------------- languages in paths


def languages(*names: str, wanted: str | None = None) -> dict[str, str | None]:
    found = translations((Path("/g") / name for name in names), wanted=wanted)
    return {path.relative_to("/g").as_posix(): translation.language for path, translation in found.items()}


def test_folders_and_file_names_tell_the_language() -> None:
    assert languages("en/a.md", "de/a.md", "pt-br/a.md", "de/only.md") == {
        "en/a.md": "en",
        "de/a.md": "de",
        "pt-br/a.md": "pt-br",
        "de/only.md": "de",
    }
    assert languages("x/terms.en.md", "x/terms.de.md") == {"x/terms.en.md": "en", "x/terms.de.md": "de"}
    assert languages("terms_en_GB.csv", "terms_pt_BR.csv") == {"terms_en_GB.csv": "en_gb", "terms_pt_BR.csv": "pt_br"}
    assert languages("en-terms.md", "de-terms.md") == {"en-terms.md": "en", "de-terms.md": "de"}
    assert languages("content/en/docs/a.md", "content/ko/docs/a.md").keys() == {
        "content/en/docs/a.md",
        "content/ko/docs/a.md",
    }


def test_an_unmarked_file_stands_beside_its_translations() -> None:
    assert languages("terms.md", "terms.de.md") == {"terms.md": None, "terms.de.md": "de"}
    assert languages("a.md", "de/a.md", wanted="de") == {"a.md": None, "de/a.md": "de"}


def test_words_that_only_look_like_languages_are_none() -> None:
    assert languages("hr/a.md", "it/a.md", "ml/a.md") == {}
    assert languages("it/a.md", "en/b.md") == {}
    assert languages("a.md", "it/a.md") == {}
    assert languages("no.md", "to-do.md", "is.md", "id/x.md") == {}
    assert languages("hr/a.md", "it/a.md", wanted="it") == {"hr/a.md": "hr", "it/a.md": "it"}


def test_what_translations_share_is_the_path_without_the_language() -> None:
    found = translations([Path("/g/en/a.md"), Path("/g/de/a.md")])
    assert set(found.values()) == {Translation("en", "/g/a.md"), Translation("de", "/g/a.md")}


def write(folder: Path, **texts: str) -> Path:
    for name, text in texts.items():
        path = folder / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.with_suffix(".csv").write_text(f"term,definition\n{text}\n", encoding="utf-8")
    return folder


def test_a_translated_file_is_read_in_one_language(tmp_path: Path) -> None:
    write(tmp_path, en__a="cache,Keeps keys.", de__a="Speicher,Hält Schlüssel.", de__b="Kopf,Ein Teil.")
    reading = readers.read([tmp_path])
    assert [(entry.term, entry.language) for entry in reading.glossary.entries] == [("Kopf", "de"), ("cache", "en")]
    assert "left out: de 1" in str(reading.notices[0])
    german = readers.read([tmp_path], ReadOptions(language="de"))
    assert [entry.term for entry in german.glossary.entries] == ["Speicher", "Kopf"]
    every = readers.read([tmp_path], ReadOptions(language="all"))
    assert len(every.glossary) == 3


def test_files_given_one_by_one_are_translations_too(tmp_path: Path) -> None:
    write(tmp_path, en="cache,Keeps keys.", x__terms_en="head,A part.", x__terms_de="Kopf,Ein Teil.")
    reading = readers.read([tmp_path / "x/terms_en.csv", tmp_path / "x/terms_de.csv"])
    assert [entry.term for entry in reading.glossary.entries] == ["head"]
