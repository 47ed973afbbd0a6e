from __future__ import annotations

import pytest

from graphlang.ingest import Limits
from graphlang.ingest.html.document import read_document

LINKS = "".join(f"<li><a href=/{word}>{word} page</a>" for word in ("first", "second", "third", "fourth"))
TALE = "The miller opened the door early in the morning and loaded the first sacks."
TWO_LINKS = "<a href=/1>one</a> <a href=/2>two</a>"
PLENTY = "<p>" + "words of content " * 20


@pytest.mark.parametrize(
    ("markup", "main", "rest"),
    [
        ("<nav>menu</nav><p>text", "text", "menu"),
        ("<header>site<nav>menu</nav></header><main>text</main><footer>us</footer>", "text", "site menu us"),
        ("<article><header>headline</header>text<aside>note</aside></article>", "headline text note", ""),
        ("<aside>other</aside><p>text", "text", "other"),
        ('<div role="navigation">menu<div role="navigation">more</div></div>text', "text", "menu more"),
        ("<div id=cookie-banner>We use cookies</div>text", "text", "We use cookies"),
        *(
            (f"<div {name}>We use cookies</div>text", "text", "We use cookies")
            for name in (
                *("id=cookie-law-info-bar", "class='widget widget_eu_cookie_law_widget'", "class=CookieBanner"),
                *(
                    "id=moove_gdpr_cookie_info_bar",
                    "class='x cookiebar'",
                    "id=cookies-message",
                    "id=onetrust-consent-sdk",
                ),
            )
        ),
        ("<div class='has-cookie-banner'><main>text of cookies</main></div>", "text of cookies", ""),
        ("<div class='cookie kookie-bar cooking-notice'>Bake a cookie</div>", "Bake a cookie", ""),
        # a menu of languages, whatever it is made of
        (
            "<p><a href=a>Deutsch</a> <a href=b>English</a> <a href=c>Français</a></p><p>text",
            "text",
            "Deutsch English Français",
        ),
        (
            "<ul><li><b><a href=a>Deutsch</a></b><li>English<li><a href=b>Français</a></ul>x",
            "Deutsch English Français x",
            "",
        ),
        ("<p>Deutsch, English, Français, Español</p>", "Deutsch, English, Français, Español", ""),
        # a list of links is a menu only beside something else
        (f"<ul>{LINKS}</ul>", "first page second page third page fourth page", ""),
        ("<nav>all there is</nav>", "", "all there is"),
        # what nobody closed, or what is named after a banner, holds the page
        ("<header>site<nav>menu</nav><main>text</main><footer>us</footer>", "text", "site menu us"),
        ("<header>site<article>text</article>", "site text", ""),
        ("<div class=cookie-banner-on><main>text about cookies</main></div>", "text about cookies", ""),
        (f"{PLENTY}<aside>more<article>teaser</article></aside>", PLENTY[3:].strip(), "more teaser"),
        # the article is in <header>: the links and the long footer are around it
        (f"<header><h1>Mill</h1><p>{TALE}</header><div>{TWO_LINKS}</div>", f"Mill {TALE}", "one two"),
        (
            f"<header><h1>Mill</h1><p>{TALE}</header><div class=footer>{PLENTY}</div>",
            f"Mill {TALE}",
            PLENTY[3:].strip(),
        ),
        # what a script may show later, beside enough that is shown already
        (f"<div hidden>menu</div>{PLENTY}<dialog>sign in</dialog>", PLENTY[3:].strip(), "menu sign in"),
        (f"<dialog open>welcome</dialog>{PLENTY}", "welcome " + PLENTY[3:].strip(), ""),
        (f"{PLENTY}<div HIDDEN='until-found'>more</div>", PLENTY[3:].strip(), "more"),
        (f"{PLENTY}<div hidden><article>more</article></div>", PLENTY[3:] + "more", ""),
        (f"{PLENTY}<app-menu hidden>more</app-menu>", PLENTY[3:].strip(), "more"),
        (f"{PLENTY}<span hidden>Command</span>", PLENTY[3:] + "Command", ""),  # variants within a sentence
        ("<div id=app hidden>the text that a script shows</div>loading", "the text that a script shows loading", ""),
        ("no body at all", "no body at all", ""),
    ],
)
def test_what_stands_around_the_content_comes_behind_it(markup: str, main: str, rest: str) -> None:
    page = read_document(markup, Limits())
    text = page.text.replace("\n", " ")
    assert text[: page.main_length] == main
    assert text[page.main_length :].strip() == rest


SENTENCES = "<p>" + "This is the text of the page, and its lines are long enough to be sentences. " * 5
MENU = "<a href=/1>Home</a> | <a href=/2>News</a> | <a href=/3>Contact</a> | <a href=/4>Help</a>"
THREE = "<a href=/d>Deutsch (de)</a>{0}<a href=/p>Português (Brazil)</a>{0}<a href=/z>中文 ［中文］</a>"


def main_of(markup: str) -> str:
    page = read_document(markup, Limits())
    return page.text[: page.main_length]


@pytest.mark.parametrize(
    "around",
    [
        # what no visitor sees
        *(
            "<div style='display: none'>Skip to content, please</div>",
            "<p style=VISIBILITY:hidden>Loading, please wait</p>",
        ),
        *("<div aria-hidden=true>menu and more</div>", "<span style='color:red;display:none'>cheap pills</span>"),
        *("<p>{{ 'home.title' | translate }}</p>", "{{title}}"),
        # names of classes and ids, by their words
        *("<section id=comments>Muchas gracias</section>", "<ol class=commentlist><li>Gracias</ol>"),
        *(
            "<div id=disqus_thread>Gracias</div>",
            "<div class='comments-area'>Gracias</div>",
            "<div class=siteFooter>Impressum</div>",
        ),
        *(
            "<div id='footer'>Impressum</div>",
            "<div class='site-footer x'>Impressum</div>",
            "<div class=sidebar>News</div>",
        ),
        *(
            "<div class='share_buttons'>Tweet</div>",
            "<div class=related-posts>More</div>",
            "<ul class=Breadcrumbs><li>Home</ul>",
        ),
        *(
            "<div class=lang>deutsch</div>",
            "<div id=language-switcher>auf deutsch</div>",
            "<ul class=langMenu><li>deutsch</ul>",
        ),
        f"<div class=main-menu>{MENU}</div>",
        # links without a telling name
        *(
            f"<div>{MENU}</div>",
            "<table><tr><td>" + MENU.replace(" | ", "<td>") + "</table>",
            f"<center>{MENU}</center>",
        ),
        *(
            "<dl><dd>" + MENU.replace(" | ", "<dd>") + "</dl>",
            "<div><ul><li>" + MENU.replace(" | ", "<li>") + "</ul></div>",
        ),
        # languages
        *(
            f"<div>{THREE.format(' ')}</div>",
            "<table><td>" + THREE.format("<td>") + "</table>",
            THREE.format("<br>") + "<br>",
        ),
        "<p><a href=/a>DE</a> <a href=/b>pt-BR</a> <a href=/c>zh_CN</a></p>",
        "<p><a hreflang=sw href=/a>Karibu</a> <a hreflang=mi href=/b>Nau mai</a> <a hreflang=eu href=/c>Ongi</a></p>",
    ],
)
def test_a_short_page_is_its_own_words(around: str) -> None:
    assert main_of(f"{around}<h1>Foto 12</h1>") == main_of(f"<h1>Foto 12</h1>{around}") == "Foto 12"


@pytest.mark.parametrize(
    "content",
    [
        *(
            "<div class='has-sidebar'>text</div>",
            "<div class=no-comments>text</div>",
            "<div class='comments-open'>text</div>",
        ),
        *("<div class=language-python>text</div>", "<div class=footerless>text</div>", "<p class=footer>text</p>"),
        *("<div class=page-sidebar><h1>text</h1></div>"),
        *(
            "<div class=menu>A soup, and bread <a href=/b>b</a></div>",
            "<p>{{ not closed",
            "<p style=display:block>text</p>",
        ),
        *("<div aria-hidden=false>text</div>", "<p><a href=/1>Read</a>", "<p><a href=/1>Deutsch</a>"),
    ],
)
def test_what_only_looks_like_boilerplate_is_content(content: str) -> None:
    assert main_of(f"{content}<p>more") == read_document(f"{content}<p>more", Limits()).text


@pytest.mark.parametrize("tag", ["header", "footer", "aside", "nav", "div class=sidebar", "div id=comments"])
def test_an_element_that_holds_the_whole_page_is_no_boilerplate(tag: str) -> None:
    name = tag.split(maxsplit=1)[0]
    assert main_of(f"<{tag}>{SENTENCES}</{name}>").startswith("This is the text")


@pytest.mark.parametrize("tag", ["header", "nav", "aside"])
def test_an_element_that_nobody_closed_is_the_page(tag: str) -> None:
    page = f"<{tag}><ul><li>{MENU.replace(' | ', '<li>')}</ul><div>{SENTENCES}</div><footer>By us</footer>"
    assert main_of(page) == read_document(SENTENCES, Limits()).text


def test_a_short_page_in_an_element_that_nobody_closed() -> None:
    assert main_of(f"<nav>{MENU}<h1>Foto 12</h1><p>A lake") == "Foto 12\nA lake"


def test_a_footer_that_holds_the_heading_is_the_page() -> None:
    assert main_of(f"<div>A site</div><footer><h1>Lakes</h1>{SENTENCES}</footer>").startswith("A site\nLakes\nThis is")


def test_long_footers_and_comments_stay_behind_a_short_page() -> None:
    for behind in ("<footer>", "<div id=footer>", "<div class=comments>"):
        assert main_of(f"<p>Foto 12</p>{behind}{SENTENCES * 9}") == "Foto 12"


def test_templates_are_left_out_of_titles() -> None:
    assert read_document("<title>{{ 'home.title' | translate }} Shop</title>", Limits()).title == "Shop"


def test_what_is_cut_out_ends_a_line() -> None:
    page = read_document("<p>one<nav>menu</nav><p>two <app-menu hidden>more</app-menu> words " + PLENTY, Limits())
    assert page.text[: page.main_length] == f"one\ntwo\nwords\n{PLENTY[3:].strip()}"
    assert page.text[page.main_length :] == "\nmenu\nmore"


def test_lists_of_links_at_the_edges_of_old_pages() -> None:
    page = read_document(f"<ul>{LINKS}</ul>{PLENTY}<ul><li>one<li>two</ul>", Limits())
    assert page.text[: page.main_length].startswith("words of content")
    assert page.text[: page.main_length].endswith("one\ntwo")
    assert page.text.endswith("\nfirst page\nsecond page\nthird page\nfourth page")


def test_links_are_kept_wherever_they_stand() -> None:
    page = read_document(
        "<nav><a href=/a>a</a></nav><p><a href=/b>b</a><div id=cookie-bar>Cookies<a href=/c>c</a>", Limits()
    )
    assert page.anchors == ["/a", "/b", "/c"]


@pytest.mark.parametrize("hidden", ["template", "svg", "object", "canvas", "video", "select><option"])
def test_what_is_hidden_is_no_rest_either(hidden: str) -> None:
    nested = f"<{hidden}><object><canvas></canvas><foreignObject><nav>n<footer>f</footer></nav></object></object>"
    page = read_document(f"<p>a</p>{nested * 3}</{hidden}>", Limits())
    assert page.text.startswith("a")
    page = read_document(
        f"<div><object><svg></svg><nav>hidden</nav><ul><li>hidden</ul></object>{'<nav>x</nav>' * 3}text", Limits()
    )
    assert page.text == "text\nx\nx\nx"


def test_thousands_of_menus_cost_little() -> None:
    page = read_document("<nav>" * 400 + "a" + "</nav>" * 400 + "<header>b</header>" * 5000 + "c", Limits())
    assert page.text[: page.main_length] == "c"
    deep = read_document("<div>" * 450 + "<footer>x</footer>" * 3000 + "</div>" * 450 + "y", Limits())
    assert deep.text[: deep.main_length] == "y"
    menus = "<p><a>Deutsch</a> <a>English</a> <a>Français</a></p>" * 300
    assert "Deutsch" in read_document(menus, Limits()).text
