import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossbot.errors import GlossaryError
from glossbot.readers.encoding import decode

GERMAN = "Begriff;Definition\r\nSchlüssel;Öffnet die Tür\r\n"
CHINESE = "术语,定义\n接口,程序之间的一种约定,用于通信\n密钥,一种用于加密的数据\n"
ARABIC = "المصطلح,التعريف\nمفتاح,يفتح الباب\n"


@pytest.mark.parametrize("text", [GERMAN, CHINESE, ARABIC, "Term,Definition\nAPI,An interface\n"])
@pytest.mark.parametrize("name", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_marks_and_utf8_are_no_guesses(text: str, name: str) -> None:
    decoded = decode(text.encode(name), label="g")
    assert decoded.text == text
    assert not decoded.guessed


@pytest.mark.parametrize("text", [GERMAN, CHINESE, ARABIC])
@pytest.mark.parametrize("name", ["utf-16-le", "utf-16-be"])
def test_utf16_without_a_mark_is_guessed(text: str, name: str) -> None:
    assert decode(text.encode(name), label="g") == (text, name, True)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (GERMAN, "latin-1"),
        ("l’école – où ça", "windows-1252"),
        ("Термин,Определение\nКлюч,Открывает дверь\n", "windows-1251"),
        ("Termin,Definicja\nKlucz,Otwiera drzwi, żółć gęślą jaźń\n", "windows-1250"),
        ("用語,定義\n鍵,扉を開けるための道具である。\n", "shift_jis"),
        (CHINESE, "gb18030"),
    ],
)
def test_other_encodings_are_guessed(text: str, name: str) -> None:
    decoded = decode(text.encode(name), label="g")
    assert decoded.text == text
    assert decoded.guessed


def test_a_few_damaged_bytes_are_named_and_not_taken_for_another_encoding() -> None:
    with pytest.raises(GlossaryError, match=r"^g:3: not UTF-8 text \(byte 20\); save the file as UTF-8$"):
        decode("Schlüssel\nTür ö\n".encode() + b"x\xffy", label="g")
    with pytest.raises(GlossaryError, match=r"^g:2: not UTF-8 text"):
        decode(b"\xef\xbb\xbfa\n\xff", label="g")


@pytest.mark.parametrize(
    "data", [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", b"%PDF-1.7 x", b"PK\x03\x04 x", bytes(range(32)) * 9]
)
def test_binary_files_are_refused(data: bytes) -> None:
    with pytest.raises(GlossaryError, match="a binary file, not text"):
        decode(data, label="g")


@given(st.binary(max_size=200) | st.text(max_size=80).map(lambda text: text.encode("utf-16-le", "surrogatepass")))
def test_any_bytes_are_a_text_or_an_error(data: bytes) -> None:
    try:
        decode(data, label="g")
    except GlossaryError as error:
        assert str(error).startswith("g:")  # noqa: PT017


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"])))
def test_utf8_comes_back(text: str) -> None:
    assert decode(b"\xef\xbb\xbf" + text.encode(), label="g").text == text
