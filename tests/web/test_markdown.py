"""The Markdown of the rules as HTML."""

import re
from collections import Counter

import pytest
from lxml import html as parser

from gamesvc.games import catalog
from gamesvc.web.common.markdown import contents, render

TAGS = {"h1", "h2", "h3", "p", "br", "hr", "ul", "ol", "li", "pre", "code", "blockquote", "strong", "em", "a"}
TAGS |= {"div", "table", "thead", "tbody", "tr", "th", "td"}

EXAMPLE = 'tabindex="0" role="group" aria-label="Example"'


def flat(html):
    """HTML without the line breaks between elements, which a browser does not show."""
    return re.sub(r"\n(?=<)|(?<=>)\n", "", html).strip()


@pytest.mark.parametrize(
    ("source", "html"),
    [
        ("# Title", '<h1 id="title">Title</h1>'),
        ("## Cards: *Terran* deck", '<h2 id="cards-terran-deck">Cards: <em>Terran</em> deck</h2>'),
        ("# Move\n\n# Move", '<h1 id="move">Move</h1><h1 id="move-2">Move</h1>'),
        ("a\nb\n\nc", "<p>a\nb</p><p>c</p>"),
        ("- a\n- b", "<ul><li>a</li><li>b</li></ul>"),
        ("1. a\n2. b", "<ol><li>a</li><li>b</li></ol>"),
        ("3. a\n4. b", '<ol start="3"><li>a</li><li>b</li></ol>'),
        ("- a\n  - b\n- c", "<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>"),
        ("- a\n  goes on", "<ul><li>a\ngoes on</li></ul>"),
        ("```text\n<x>\n```", f"<pre {EXAMPLE}><code>&lt;x&gt;</code></pre>"),
        ("Orders:\n\n    move E5", f"<p>Orders:</p><pre {EXAMPLE}><code>move E5</code></pre>"),
        ("> quoted", "<blockquote><p>quoted</p></blockquote>"),
        ("---", "<hr>"),
        (
            "| a | b |\n|---|--:|\n| 1 | 2 \\| 3 |",
            '<div class="scroll" tabindex="0" role="group" aria-label="Table"><table><thead><tr><th>a</th><th>b</th></tr></thead>'
            "<tbody><tr><td>1</td><td>2 | 3</td></tr></tbody></table></div>",
        ),
        ("Text\n- a", "<p>Text</p><ul><li>a</li></ul>"),
    ],
)
def test_blocks(source, html):
    assert flat(render(source)) == html


@pytest.mark.parametrize(
    ("source", "html"),
    [
        ("**b** and *i* and _i_", "<strong>b</strong> and <em>i</em> and <em>i</em>"),
        ("`move E5 <n>`", "<code>move E5 &lt;n&gt;</code>"),
        ("snake_case_name 2 * 3 * 4", "snake_case_name 2 * 3 * 4"),
        ("[rules](https://example.org/a)", '<a href="https://example.org/a">rules</a>'),
        ("<https://example.org/a>", '<a href="https://example.org/a">https://example.org/a</a>'),
        ("[moves](#move-2)", '<a href="#move-2">moves</a>'),
        ("[bad](javascript:alert(1))", "[bad](javascript:alert(1))"),
        ("[bad](data:text/html;base64,PHA+)", "[bad](data:text/html;base64,PHA+)"),
        ("[mail](mailto:a@b.example)", "<a>mail</a>"),
        ("![picture](https://example.org/a.png)", ""),
        ("<script>", "&lt;script&gt;"),
        ('a <b onclick="x()">b</b>', 'a &lt;b onclick="x()"&gt;b&lt;/b&gt;'),
    ],
)
def test_marks_within_a_line(source, html):
    assert render(source).strip() == f"<p>{html}</p>"


@pytest.mark.parametrize("game", sorted(game.manifest.id for game in catalog.games()))
def test_rules_pages_have_anchors_tables_that_scroll_and_no_foreign_element(client, db, game):
    page = client.get(f"/games/{game}/rules/").content.decode()
    [article] = parser.fromstring(page).xpath("//article")
    assert {element.tag for element in article.iterdescendants()} <= TAGS
    headings = article.xpath(".//h1 | .//h2 | .//h3")
    anchors = Counter(heading.get("id") for heading in headings)
    assert len(headings) >= 3
    assert all(anchors)
    assert set(anchors.values()) == {1}
    assert all(table.getparent().get("class") == "scroll" for table in article.iter("table"))
    links = article.xpath(".//a/@href")
    assert all(link.startswith("https://") or link.removeprefix("#") in anchors for link in links)
    assert all(scrolls.get("tabindex") == "0" for scrolls in article.xpath(".//pre | .//div[@class='scroll']"))
    assert all(head.text_content().strip() for head in article.iter("th"))
    [listed] = parser.fromstring(page).xpath("//nav[@class='contents']")
    sections = [heading.get("id") for heading in article.xpath(".//h2")]
    assert listed.xpath(".//a/@href") == [f"#{anchor}" for anchor in (*sections, "orders")]
    assert article.get("lang") == "en"
    assert not re.search(r"https?://", " ".join(article.xpath(".//text()[not(ancestor::a)]"))), "an address that is not a link"


def test_the_contents_of_a_text_are_its_sections():
    source = "# Title\n\n## Cards: *Terran* deck\n\n### Aside\n\n## Move\n\n## Move"
    assert contents(source) == (("cards-terran-deck", "Cards: Terran deck"), ("move", "Move"), ("move-2", "Move"))
