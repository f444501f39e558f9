"""Reading pages as a browser does: their forms, and what they would post."""

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser


@dataclass
class PageForm:
    action: str
    method: str
    fields: dict[str, list[str]] = field(default_factory=dict)  # the default values
    choices: dict[str, set[str]] = field(default_factory=dict)  # the possible values ("*": anything)
    text: str = ""


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.forms: list[PageForm] = []
        self.open: PageForm | None = None
        self.select = ""
        self.area = ""

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag == "form":
            self.open = PageForm(given.get("action", ""), given.get("method", "get"))
            self.forms.append(self.open)
        if self.open is None:
            return
        name, value = given.get("name", ""), given.get("value", "")
        if tag == "input" and name:
            kind = given.get("type", "text")
            if kind in ("radio", "checkbox"):
                value = given.get("value", "on")
                self.open.choices.setdefault(name, set()).add(value)
                if "checked" in given:  # of radio buttons a browser takes the last
                    self.open.fields[name] = [*(self.open.fields.get(name, []) if kind == "checkbox" else []), value]
            else:
                self.open.fields[name] = [value]
                self.open.choices.setdefault(name, set()).add("*" if kind != "hidden" else value)
        elif tag == "button" and name:
            self.open.fields[name] = [value]
        elif tag == "select":
            self.select = name
            self.open.fields[name] = [""]
        elif tag == "option" and self.select:
            self.open.choices.setdefault(self.select, set()).add(value)
            if "selected" in given:
                self.open.fields[self.select] = [value]
        elif tag == "textarea":
            self.area = name
            self.open.fields[name] = [""]
            self.open.choices[name] = {"*"}

    def handle_endtag(self, tag):
        if tag == "form":
            self.open = None
        elif tag == "select":
            self.select = ""
        elif tag == "textarea":
            self.area = ""

    def handle_data(self, data):
        if self.open is not None:
            if self.area:
                self.open.fields[self.area] = [data]
            else:
                self.open.text += data


def names(html: str, name: str) -> bool:
    """Return True if a page has a name as a word: the tokens of its forms may have any three letters side by side."""
    return re.search(rf"\b{re.escape(name)}\b", html) is not None


def forms(html: str) -> list[PageForm]:
    reader = _Reader()
    reader.feed(html)
    return reader.forms


def form_to(html: str, ending: str, text: str = "") -> PageForm:
    """Return the one form whose address has this ending (and that contains this text)."""
    found = [form for form in forms(html) if form.action.endswith(ending) and text in form.text]
    assert found, f"no form to {ending} with {text!r}"
    return found[0]


def chosen(form: PageForm, values: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return what the form posts after the reader has chosen these values. Fails if the page does not offer them."""
    for name, wanted in values.items():
        offered = form.choices.get(name, set())
        for value in wanted:
            assert "*" in offered or value in offered, f"{name}={value} is not on the page: {offered}"
    return {**form.fields, **values}
