"""What people call the columns of a glossary table and the keys of its records, in many languages and habits."""

import re
import unicodedata
from typing import Literal, get_args

Field = Literal[
    "term",
    "definition",
    "aliases",
    "abbreviation",
    "expansion",  # what an abbreviation stands for
    "category",
    "related",
    "language",
    "key",
    "attribution",
    "plain",
    "anchor",
    "number",  # of the row, which says nothing about the entry
]
FIELDS: tuple[Field, ...] = get_args(Field)

_NOT_LETTERS = re.compile(r"[\W_]+")


def bare(name: str) -> str:
    """Reduce a column's name to its letters and digits, without case, accents and spaces."""
    text = unicodedata.normalize("NFKD", name.casefold())
    return _NOT_LETTERS.sub("", "".join(char for char in text if not unicodedata.combining(char)))


def _ranked(names: str) -> dict[str, int]:
    """Return names that stand between commas, each with its place: of two columns the earlier name wins."""
    return {name: rank for rank, name in enumerate(dict.fromkeys(map(bare, names.split(","))))}


def _before(name: str, ranked: dict[str, int]) -> frozenset[str]:
    return frozenset(other for other, rank in ranked.items() if rank < ranked[name])


# Each list begins with what says most clearly what the column holds.
NAMES: dict[Field, dict[str, int]] = {
    "term": _ranked(
        """term, terms, glossary term, term name, headword, head word, lemma, vocabulary, preferred term, pref label,
        preferred label, defined term, key term, main term, technical term, business term, term title, full term,
        Begriff, Begriffe, Fachbegriff, Fachwort, Stichwort, Terminus, Ausdruck, Benennung, terme, termes, mot,
        vocable, expression, intitulé, término, términos, termino, palabra, vocablo, terminología, termo,
        termos, palavra, verbete, termine, termini, parola, vocabolo, lemma, voce, begrip, termen, woord, trefwoord,
        termin, terminy, pojęcie, hasło, pojem, výraz, heslo, slovo, begrepp, ord, uppslagsord, begreb, begrep,
        termi, käsite, sana, terim, kavram, sözcük, kelime, fogalom, kifejezés, szó, termen, cuvânt, noțiune,
        όρος, λέξη, термин, термины, понятие, слово, термін, поняття,
        термин, понятие, појам, izraz, pojam, pojem, מונח, מושג, ערך, المصطلح, مصطلح, المصطلحات,
        الكلمة, المفهوم, اصطلاح, واژه, शब्द, पारिभाषिक शब्द, পরিভাষা, শব্দ, thuật ngữ, từ, khái niệm, istilah, kata,
        คำศัพท์, ศัพท์, คำ, terme clau, terme, 术语, 術語, 词条, 詞條, 名词, 名詞, 词语, 詞語, 词汇, 詞彙, 单词,
        概念, 用語, 用語名, 単語, 見出し語, 見出し, 言葉, 용어, 용어명, 단어, 개념, terminus, word, words, phrase,
        word or phrase, concept, concepts, jargon, entry, expression, idiom, lexeme, name, names, title, label,
        display name, term label, heading, item, Name, Bezeichnung, Titel, nom, nombre, título, titulo, nome,
        titolo, naam, nazwa, název, namn, navn, nimi, ad, isim, név, nume, όνομα, название,
        наименование, имя, назва, שם, الاسم, نام, नाम, tên, nama, ชื่อ, 名称, 名稱, 名字, 标题,
        標題, 名前, 이름, 명칭"""
    ),
    "definition": _ranked(
        """definition, definitions, glossary definition, def, defn, term definition, full definition, long definition,
        meaning, meanings, description, descriptions, desc, descr, explanation, explanations, explained, gloss, what
        it means, what does it mean, what it is, what is it, long description, full description, details,
        Definition, Begriffsdefinition, Bedeutung, Erklärung, Beschreibung, Erläuterung, définition, définitions,
        signification, explication, sens, descriptif, definición, definiciones, significado, descripción,
        explicación, definição, descrição, explicação, definizione, significato, descrizione, spiegazione,
        definitie, betekenis, omschrijving, beschrijving, uitleg, definicja, znaczenie, opis, objaśnienie,
        wyjaśnienie, definice, význam, popis, vysvětlení, definícia, definition, betydelse, beskrivning,
        förklaring, betydning, beskrivelse, forklaring, definisjon, määritelmä, selitys, merkitys, kuvaus, tanım,
        anlam, anlamı, açıklama, definíció, meghatározás, jelentés, leírás, magyarázat, definiție,
        definiția, descriere, explicație, semnificație, ορισμός, σημασία, περιγραφή,
        επεξήγηση, определение, описание, значение, толкование,
        пояснение, объяснение, визначення, опис, значення,
        тлумачення, дефиниция, описание, definicija, opis, objašnjenje, הגדרה, משמעות,
        הסבר, פירוש, תיאור, التعريف, تعريف, المعنى, معنى, الشرح, شرح, الوصف, تعریف, توضیح, परिभाषा, अर्थ, विवरण,
        সংজ্ঞা, অর্থ, định nghĩa, ý nghĩa, giải thích, mô tả, definisi, arti, penjelasan, deskripsi, takrif,
        คำจำกัดความ, ความหมาย, คำอธิบาย, definició, significat, 定义, 定義, 释义, 釋義, 解释, 解釋, 含义, 含義,
        意思, 描述, 说明, 說明, 説明, 意味, 解説, 語義, 정의, 뜻, 의미, 설명, 해설"""
    ),
    "aliases": _ranked(
        """synonyms, synonym, aliases, alias, aka, a.k.a., also known as, also called, other names, other name,
        alternative names, alternative name, alternate names, alternate name, alternative terms, alternate terms,
        alternative term, alternatives, alt label, alt labels, alt, alternative label, alternative labels, alternate
        name, variants, variant, variations, spelling variants, other spellings, equivalents, non-preferred terms,
        also, hidden label, nicknames, other terms, synonyms to avoid, terms to avoid, avoid, do not use,
        Synonym, Synonyme, Synonym(e), Alternative, auch bekannt als,
        auch, weitere Namen, andere Bezeichnungen, synonymes, synonyme, autres noms, aussi appelé, alias,
        variantes, sinónimos, sinónimo, otros nombres, también conocido como, sinônimos, sinônimo, outros nomes,
        sinonimi, sinonimo, altri nomi, synoniemen, synoniem, ook bekend als, synonimy, synonim, synonyma,
        synonymer, synonyymit, eş anlamlı, eş anlamlılar, szinonimák, szinonima, sinonime, συνώνυμα,
        синонимы, синоним, синоніми, מילים נרדפות, المرادفات, مرادفات, مترادف, पर्यायवाची, từ
        đồng nghĩa, sinonim, คำพ้อง, 同义词, 同義詞, 别名, 別名, 又称, 又稱, 同義語, 類義語, 別称, 동의어, 유의어,
        별칭"""
    ),
    "abbreviation": _ranked(
        """acronym, acronyms, abbreviation, abbreviations, abbr, abbrev, abbrv, initialism, short form, short name,
        shortname, acronym or abbreviation, acro, term code, Abkürzung, Abkürzungen, Abk., Akronym, Kürzel,
        Kurzform, abréviation, acronyme, sigle, sigles, abreviatura, abreviatura(s), acrónimo, sigla, siglas,
        abreviação, acrônimo, abbreviazione, acronimo, sigle, afkorting, afkortingen, acroniem, skrót, skrótowiec,
        zkratka, skratka, förkortning, forkortelse, lyhenne, kısaltma, rövidítés, mozaikszó, abreviere, acronim,
        συντομογραφία, ακρωνύμιο, аббревиатура, сокращение,
        скорочення, абревіатура, ראשי תיבות, קיצור, الاختصار, اختصار, اختصارات, مخفف, संक्षिप्त
        रूप, viết tắt, từ viết tắt, singkatan, คำย่อ, 缩写, 縮寫, 缩略语, 縮略語, 简称, 簡稱, 略語, 略称, 약어,
        줄임말"""
    ),
    "expansion": _ranked(
        """expansion, expanded, expanded form, full name, fullname, full form, long form, long name, longname, spelled
        out, spelt out, stands for, what it stands for, full title, written out, acronym meaning, Langform,
        Vollform, ausgeschrieben, vollständiger Name, steht für, forme longue, forme développée, nom complet,
        signifie, forma larga, nombre completo, forma completa, desarrollo, nome completo, forma estesa, forma por
        extenso, volledige naam, voluit, pełna nazwa, rozwinięcie, celý název, расшифровка,
        полное название, полное наименование, полная форма,
        розшифровка, tam adı, açılım, açılımı, الاسم الكامل, पूर्ण रूप, tên đầy đủ, kepanjangan,
        全称, 全稱, 全名, 正式名称, 正式名, 전체 이름, 풀이"""
    ),
    "category": _ranked(
        """category, categories, subject area, domain, domains, subject field, topic, topics, theme, group, section,
        chapter, module, area, field, subject, class, type, kind, tags, tag, keywords, discipline, collection,
        Kategorie, Kategorien, Thema, Bereich, Fachgebiet, Gruppe, Typ, Themengebiet, Schlagworte, catégorie,
        catégories, domaine, thème, sujet, groupe, rubrique, categoría, categorías, tema, ámbito, dominio,
        área, grupo, tipo, etiquetas, categoria, categorias, domínio, assunto, ambito, argomento, categorie,
        onderwerp, domein, groep, kategoria, dziedzina, temat, kategorie, oblast, téma, kategori, område, ämne,
        emne, kategoria, aihe, konu, kategória, témakör, terület, categorie, domeniu, κατηγορία, θέμα,
        категория, тема, раздел, область, категорія, розділ, קטגוריה, נושא,
        الفئة, التصنيف, فئة, المجال, الموضوع, دسته, حوزه, श्रेणी, danh mục, thể loại, lĩnh vực, kategori, bidang,
        หมวดหมู่, 分类, 分類, 类别, 類別, 类型, 類型, 领域, 領域, 标签, 標籤, 主题, 主題, カテゴリ, カテゴリー, 種類,
        分野, タグ, 분류, 범주, 카테고리, 분야, 태그"""
    ),
    "related": _ranked(
        """see also, related, related terms, related term, related entries, related concepts, related to, see, ref,
        refs, reference, references, cross reference, cross references, crossref, crossrefs, xref, xrefs, links to,
        broader, narrower, broader term, narrower term, siehe auch, siehe, verwandte Begriffe, verwandt, Verweis,
        Verweise, querverweis, querverweise, voir aussi, voir, termes liés, termes associés, renvoi, renvois,
        véase también, véase, ver también, términos relacionados, relacionados, referencias, ver também, veja
        também, termos relacionados, vedi anche, vedi, termini correlati, zie ook, zie, verwante termen, zobacz
        też, zob., viz, viz též, se även, se också, se også, katso myös, ayrıca bakınız, bakınız, lásd még,
        lásd, vezi și, δείτε επίσης, см. также, см., связанные термины, див.
        також, див., ראו גם, انظر أيضا, انظر, مصطلحات ذات صلة, مرتبط, यह भी देखें, xem thêm, lihat juga,
        ดูเพิ่มเติม, 参见, 參見, 另见, 另見, 相关, 相关术语, 相關, 相關術語, 関連, 関連用語, 関連語, 関連項目, 参照,
        관련, 관련 용어, 참조, 참고"""
    ),
    "language": _ranked(
        """language, lang, language code, locale, in language, Sprache, langue, idioma, lengua, lingua, língua, taal,
        język, jazyk, språk, sprog, kieli, dil, nyelv, limbă, γλώσσα, язык, мова, שפה, اللغة, لغة,
        زبان, भाषा, ngôn ngữ, bahasa, ภาษา, 语言, 語言, 言語, 언어"""
    ),
    "key": _ranked(
        """id, @id, slug, key, identifier, uid, uuid, guid, term id, concept id, entry id, permalink, handle, Kennung,
        Schlüssel, identifiant, clé, identificador, clave, chave, identificatore, ключ,
        идентификатор, 编号, 編號, 识别号"""
    ),
    "attribution": _ranked(
        """source, sources, licence, license, attribution, definition source, source of definition, origin, credit,
        copyright, citation, Quelle, Quellen, Lizenz, Herkunft, fuente, fuentes, fonte, fonti, bron, bronnen,
        źródło, zdroj, källa, kilde, lähde, kaynak, forrás, sursă, πηγή, источник, джерело,
        מקור, المصدر, منبع, स्रोत, nguồn, sumber, ที่มา, 来源, 來源, 出处, 出處, 出典, 출처"""
    ),
    "plain": _ranked(
        """in plain words, plain, plain language, plain english, in plain english, plain language definition, eli5,
        layman's terms, in layman's terms, simple definition, simple explanation, simply put, in simple words, in
        einfachen Worten, einfache Sprache, einfach erklärt, en termes simples, en palabras sencillas"""
    ),
    "anchor": _ranked("anchor, fragment, html id, anker, ancre, ancla"),
    "number": _ranked(
        "no, no., nr, nr., n°, nº, num, number, row, index, s.no, s. no., sl no, lfd. nr., №, 序号, 番号"
    ),
}

# What holds the term, or the definition, where nothing says so better.
WEAK_TERMS = _ranked("key, slug, id, topic, subject, symbol, code, identifier, command, thema, tema, sujet, тема, 主题")
WEAK_DEFINITIONS = _ranked(
    """text, body, content, contents, html, markdown, value, summary, short description, short definition,
        abstract, overview, answer, information, info, notes, note, comment, comments, remarks, message,
        translation, context, Text, Inhalt, Zusammenfassung, Wert, Anmerkung, Bemerkung, texte, contenu, résumé,
        valeur, remarque, texto, contenido, resumen, valor, nota, notas, conteúdo, resumo, testo, contenuto,
        riassunto, valore, tekst, inhoud, treść, текст, содержание, примечание, النص,
        محتوى, 内容, 內容, 备注, 備註, 文本, 概要, 備考, 내용, 비고"""
)
# Names of a term, and of a definition, that stand for nothing else: a file with such keys is a glossary.
PLAIN_TERMS = frozenset(name for name, rank in NAMES["term"].items() if rank < NAMES["term"]["word"])
PLAIN_DEFINITIONS = frozenset(
    name for name, rank in NAMES["definition"].items() if rank < NAMES["definition"]["meaning"]
)
# Beside a definition, this is what an abbreviation stands for.
MEANINGS = frozenset(_ranked("meaning, Bedeutung, signification, significado, significato, значение, 含义, 意味, 의미"))
