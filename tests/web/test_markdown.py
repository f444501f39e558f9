"""The Markdown of the rules as HTML."""

import pytest

from gamesvc.web.common.markdown import inline, render


@pytest.mark.parametrize(
    ("source", "html"),
    [
        ("# Title", '<h1 id="title">Title</h1>'),
        ("a\nb\n\nc", "<p>a b</p>\n<p>c</p>"),
        ("- a\n- b", "<ul><li>a</li><li>b</li></ul>"),
        ("1. a\n2. b", "<ol><li>a</li><li>b</li></ol>"),
        ("3. a\n4. b", '<ol start="3"><li>a</li><li>b</li></ol>'),
        ("- a\n  - b\n- c", "<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>"),
        ("- a\n  goes on", "<ul><li>a goes on</li></ul>"),
        ("```\n<x>\n```", "<pre><code>&lt;x&gt;</code></pre>"),
        ("> quoted", "<blockquote><p>quoted</p></blockquote>"),
        ("---", "<hr>"),
        (
            "| a | b |\n|---|--:|\n| 1 | 2 |",
            '<div class="scroll"><table><thead><tr><th>a</th><th>b</th></tr></thead>'
            "<tbody><tr><td>1</td><td>2</td></tr></tbody></table></div>",
        ),
        ("Text\n- a", "<p>Text</p>\n<ul><li>a</li></ul>"),
    ],
)
def test_blocks(source, html):
    assert render(source) == html


@pytest.mark.parametrize(
    ("source", "html"),
    [
        ("**b** and *i* and _i_", "<strong>b</strong> and <em>i</em> and <em>i</em>"),
        ("`move E5 <n>`", "<code>move E5 &lt;n&gt;</code>"),
        ("snake_case_name 2 * 3 * 4", "snake_case_name 2 * 3 * 4"),
        ("[rules](https://example.org/a)", '<a href="https://example.org/a">rules</a>'),
        ("[bad](javascript:alert(1))", "[bad](javascript:alert(1))"),
        ("<script>", "&lt;script&gt;"),
    ],
)
def test_marks_within_a_line(source, html):
    assert inline(source) == html
