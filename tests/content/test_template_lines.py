"""The lines that a site repeats, and what is left of a page without them."""

from hypothesis import given
from hypothesis import strategies as st

from graphlang.content.template_lines import NO_TEMPLATES, Body, PageText, Templates, extract_body, find_templates

lines = st.lists(st.text("ab xyzé", max_size=8).map(str.strip), max_size=6).map("\n".join)
pages = st.lists(st.builds(PageText, st.text("ab ", max_size=4), lines, st.integers(0, 20)), max_size=8)


def page(content: str, around: str = "", title: str = "") -> PageText:
    return PageText(title, f"{content}\n{around}" if around else content, len(content))


def test_a_line_on_three_pages_is_a_template_line_wherever_it_is() -> None:
    collection = [page("Menu\nFoto 1"), page("Foto 2", "Menu"), page("Foto 3\nMenu\nMenu")]
    assert find_templates(collection) == Templates({"Menu": 3}, 3)
    assert find_templates(collection[:2]).counts == {}


def test_pages_with_equal_contents_count_once() -> None:
    assert find_templates([page("Foto 1", f"menu {number}") for number in range(9)]) == Templates({}, 1)


def test_items_of_titles_and_of_menus_in_one_line_are_compared() -> None:
    collection = [page(f"Home | Bild {n} | Kontakt", title=f"Bild {n} - Hof") for n in range(3)]
    templates = find_templates(collection)
    assert templates.counts == {"Home": 3, "Kontakt": 3, "Hof": 3}
    assert extract_body(collection[1], templates) == Body("Bild 1", "Bild 1", ("Home", "Kontakt"))


def test_what_markup_set_apart_is_read_where_there_is_no_content() -> None:
    assert extract_body(page("", "Über uns\nKontakt"), NO_TEMPLATES).text == "\nÜber uns\nKontakt"
    assert extract_body(page("2021", "Über uns\nKontakt"), NO_TEMPLATES).text == "2021\nÜber uns\nKontakt"


def test_lines_of_few_pages_are_read_where_a_page_has_nothing_else() -> None:
    """A menu of one language version is in its language; one on most pages of the host tells nothing."""
    menu = page("Home\nSeguridad\nContraseñas")
    templates = Templates({"Home": 90, "Seguridad": 10, "Contraseñas": 9}, 100)
    assert extract_body(menu, templates) == Body("", "Seguridad\nContraseñas", ("Home",))
    assert extract_body(page("Home"), templates) == Body("", "", ("Home",))


def test_a_long_text_keeps_its_headings() -> None:
    text = "Synopsis\n" + "word " * 60
    assert extract_body(page(text), Templates({"Synopsis": 9}, 9)) == Body("", text, ())


def test_numbers_alone_have_no_template() -> None:
    assert extract_body(page("1 2 3"), Templates({"1 2 3": 9}, 9)).text == "1 2 3"


@given(pages, st.randoms(use_true_random=False))
def test_the_order_of_pages_does_not_matter(collection: list[PageText], random: object) -> None:
    shuffled = sorted(collection, key=lambda _: random.random())  # type: ignore[attr-defined]
    assert find_templates(collection) == find_templates(shuffled)


@given(pages)
def test_a_body_is_part_of_its_page(collection: list[PageText]) -> None:
    templates = find_templates(collection)
    for one in collection:
        body = extract_body(one, templates)
        assert set(body.text) <= set(one.text) | {"\n"}
        assert len(body.text) <= len(one.text)
        assert set(body.dropped) <= set(templates.counts)
