from __future__ import annotations

import pytest

from graphlang.ingest import Limits
from graphlang.ingest.html.document import read_document


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        # blocks set words apart and end lines, cells of tables set words apart, inline elements do neither
        ("<p>one<p>two", "one\ntwo"),
        ("<div>one</div>two", "one\ntwo"),
        ("<b>o</b>ne <i>t</i>wo", "one two"),
        ("one<br>two<BR/>three", "one\ntwo\nthree"),
        ("<table><tr><td>a</td><td>b</td></tr><tr><th>c</table>", "a b\nc"),
        ("<ul><li>a<li>b</ul><dl><dt>c<dd>d</dl>", "a\nb\nc\nd"),
        ("<a href=x>one</a>, <a href=y>two</a>.", "one, two."),
        ("<span>日</span>本<font>語</font>", "日本語"),
        ("<h1>one</h1><h2>two</h2>", "one\ntwo"),
        ("<section>one<article>two</article>three</section>", "one\ntwo\nthree"),
        ("<del>o</del>ne<ins>s</ins>", "ones"),
        ("one<hr>two", "one\ntwo"),
        ("wo<wbr>rd so\u00adft", "word soft"),
        # what no reader sees
        ("a<script>b</script><style>c</style><!-- d --><noscript>e</noscript><template>f</template>g", "ag"),
        ("<head><title>b</title><meta name=description content=c></head>a", "a"),
        ("<select><option>Deutsch<option>English</select><textarea>x</textarea>a", "a"),
        ("<svg><title>b</title><text>c</text></svg>a", "a"),
        ("<iframe src=x>b</iframe>a<video>c</video><canvas>d</canvas>", "a"),
        ("<frameset><frame src=x><noframes>This page uses frames</noframes></frameset>", ""),
        ("<script>if (a<b) document.write('<p>x')</script>a", "a"),
        # a frameset stands for the body: text beside it is not shown; where something is shown before it, it is none
        ("<frameset><frame src=x>a</frameset>b<p>c", ""),
        ("<title>T</title><div><frameset></frameset></html>a", ""),
        ("<frameset></frameset><script>a</script><p>b", ""),
        ("a<frameset><p>b", "a\nb"),
        ("<body><frameset>a", "a"),
        ("<br><frameset>a</frameset>b", "ab"),
        ("<input type=hidden><frameset>a", ""),
        ("<input><frameset>a", "a"),
        # a list to choose from ends before a field
        ("<select><option>a<input>b<p>c", "b\nc"),
        ("<select><option>a<hr>b<option>c</select>d", "b d"),
        ("<select><optgroup><option>a<select>b", "b"),
        # sections of characters stand in drawings and formulas, also where HTML may; in HTML they are comments
        ("<math><mi><![CDATA[a]]>b</mi><![CDATA[c>d]]></math>e", "abc>de"),
        ("<math><mi><b><![CDATA[a]]>b</b></mi></math>c", "bc"),
        ("<math><annotation-xml encoding=text/html><![CDATA[a]]>b</annotation-xml></math>c", "abc"),
        ("<svg><desc><![CDATA[</desc></svg>a]]></desc></svg>b", "b"),
        ("<![CDATA[a]]>b", "b"),
        # the end of a drawing or formula ends it from where HTML may stand, but not from within that
        ("<svg><title></svg>a", "a"),
        ("<svg><foreignObject></svg>a", "a"),
        ("<math><mtext></math>a", "a"),
        ("<svg><title></div></svg>a", "a"),
        ("<svg><desc><p></svg>a", ""),
        ("<div><svg><foreignObject></div></svg>a</div>", "a"),
        # what is cut off at the end: characters, or nothing
        ("a</", "a</"),
        ("a<", "a<"),
        ("a</b", "a"),
        ("a</>", "a"),
        # white space and entities as in browsers
        ("  a \n\t b&nbsp;c ", "a b c"),
        ("&eacute;&#233;&#xE9;&amp;&lt;b&gt;&notit;", "ééé&<b>¬it;"),
        ("&#150;&#x80;", "–€"),
        # of preformatted text an empty line ends a paragraph
        ("<pre>a\nb</pre>", "a b"),
        ("<pre>a\nb\n\nc\r\n \t\r\n\r\n d</pre>e\n\nf", "a b\nc\nd\ne f"),
        ("<pre>\n\na<b>\n\n</b>b&amp;\n\n&lt;</pre>", "a\nb&\n<"),
        ("a\x00b", "ab"),
        ("\x1fa<b>\x1f</b>b", "a b"),
        ("<button>press</button><label>name</label>", "press name"),
        ("one <div> \n two", "one\ntwo"),
        ("one<label>two<picture>three</picture><object></object><th>four<thead>five", "one two three four\nfive"),
        ("", ""),
        ("just words", "just words"),
    ],
)
def test_visible_text(markup: str, text: str) -> None:
    assert read_document(markup, Limits()).text == text


def test_title_is_the_first_of_the_page_and_not_of_a_drawing() -> None:
    assert (
        read_document("<svg><title>drawing</title></svg><title> The\n page </title><title>2", Limits()).title
        == "The page"
    )
    assert read_document("<title>a &amp; <b>b</b></title>", Limits()).title == "a & <b>b</b>"
    assert read_document("<p>none", Limits()).title == ""


def test_languages_are_kept_as_written() -> None:
    page = read_document('<html lang=" de-AT " xml:lang="de"><p lang=fr>x', Limits())
    assert (page.lang, page.xml_lang) == (" de-AT ", "de")


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("http-equiv=Content-Type content='text/html; charset=x'", []),
        ("http-equiv=refresh content=5", [{"name": "", "http-equiv": "refresh", "content": "5"}]),
        (
            "http-equiv=' Content-Language ' content=fr",
            [{"name": "", "http-equiv": " Content-Language ", "content": "fr"}],
        ),
        ("http-equiv='ref&#114;esh' content=5", [{"name": "", "http-equiv": "refresh", "content": "5"}]),
        ("http-equiv=x name=ROBOTS content=none", [{"name": "ROBOTS", "http-equiv": "x", "content": "none"}]),
        ("http-equiv=x name='&#114;obots' content=none", [{"name": "robots", "http-equiv": "x", "content": "none"}]),
        ("http-equiv=\u017fet-cookie", [{"name": "", "http-equiv": "\u017fet-cookie", "content": ""}]),
        ("name=description content=x", []),
    ],
)
def test_metas_that_may_say_something_are_kept(written: str, kept: list[dict[str, str]]) -> None:
    assert list(read_document(f"<meta {written}>", Limits()).metas) == kept


def test_metas_that_say_nothing_count_as_well() -> None:
    markup = "<meta http-equiv=x>" * 99 + "<meta name=robots content=a>" + "<meta name=robots content=b>"
    assert [meta["content"] for meta in read_document(markup, Limits()).metas] == ["a"]


def test_bytes_and_characters_are_the_same_page() -> None:
    markup = "<title>é</title><p>日本 <a href='/é'>x</a>"
    assert read_document(markup, Limits()) == read_document(markup.encode(), Limits())


def test_a_deep_page_keeps_its_text_links_and_title() -> None:
    deep = "<title>T</title>" + "<div>" * 30_000 + "o<b>n</b>e<a href=/x>two</a><p>three<script>no</script>"
    page = read_document(deep, Limits())
    assert page.flattened
    assert (page.title, page.text, page.anchors) == ("T", "onetwo\nthree", ["/x"])


def test_many_tags_alone_are_no_reason_to_flatten() -> None:
    rows = "<tr><td><b>a</b><td><a href=x>b</a>" * 20_000
    page = read_document(f"<table>{rows}</table>", Limits())
    assert not page.flattened
    assert page.text == "\n".join(["a b"] * 20_000)


def test_shapes_in_drawings_and_tags_in_scripts_are_no_depth() -> None:
    shapes = "<svg>" + "<path d=x />" * 4000 + "</svg>"
    script = "<script>" + "'<div>'," * 4000 + "</script>"
    page = read_document(f"<p>a{shapes}{script}<p>b", Limits())
    assert not page.flattened
    assert page.text == "a\nb"


def test_words_of_links_are_kept_where_they_are_wanted() -> None:
    markup = (
        "<a href=/a> Open&shy;ing <b>hours</b> </a><a href=/a>again</a><a href=/b rel=me><img></a>"
        "<a href=/b rel=me>Me</a>"
        "<a href=#top>up</a><svg><a href=/c>drawn</a></svg><a href=/d>" + "é" * 2000
    )
    words = dict(read_document(markup, Limits(anchor_texts=True)).anchor_texts)
    assert words.pop("/d") == "é" * 500
    assert words == {"/a": "Opening hours", "/b": "Me"}
    assert not read_document(markup, Limits()).anchor_texts
