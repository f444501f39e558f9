"""A command as the fields a browser would post for it, by the controls that the page shows."""

from collections import Counter

from gamesvc.games.kernel.forms import fault
from gamesvc.web.common.controls import WHOLE, Control, Sheet, key
from gamesvc.web.common.posted import MISSING, read_value


class TooManyRows(Exception):
    """A list longer than the rows of the page. Orders as text have no such limit."""


def encode(sheet: Sheet, command: dict) -> dict[str, list[str]]:
    """Return the fields that make the page send this command. Fails if no control can express it."""
    posted: dict[str, list[str]] = {}
    for control in sheet.controls:
        if control.path == WHOLE:
            _put(control, {name: value for name, value in command.items() if name != "name"}, posted)
        elif control.path in command:
            _put(control, command[control.path], posted)
        elif filled := _filled_in(control):
            posted |= filled
        else:
            assert not control.required, f"{control.path} is left out, but its control is required"
    return posted


def _put(control: Control, value, posted) -> None:
    match control.kind:
        case "absent":
            assert not value
        case "fixed":
            assert read_value(control, {}) == value
        case "radios" | "select":
            wanted = key(value)
            if value is None and wanted not in [option.value for option in control.options]:
                wanted = ""
            assert wanted in [option.value for option in control.options], (control, value)
            posted[control.path] = [wanted]
        case "number" | "text":
            posted[control.path] = ["" if value is None else str(value)]
        case "check":
            posted[control.path] = ["true"] if value else []
        case "group":
            for child in control.children:
                name = child.path.rsplit(".", 1)[-1]
                if name in value:
                    _put(child, value[name], posted)
                else:
                    posted |= _filled_in(child)
        case "alternatives":
            _put_alternative(control, value, posted)
        case "checks":
            assert {key(item) for item in value} <= {option.value for option in control.options}
            posted[control.path] = [key(item) for item in value]
        case "counts":
            counts = Counter(value)
            for child in control.children:
                posted[child.path] = [str(counts.pop(child.schema["const"], 0))]
            assert not counts
        case "rows":
            if len(value) > len(control.children):
                raise TooManyRows
            for child, item in zip(control.children, value):
                _put(child, item, posted)
        case _:
            raise AssertionError(f"a control of kind {control.kind} is for no game")


def _filled_in(control: Control) -> dict[str, list[str]]:
    """Return the fields that the page fills in by itself: to leave the control out is to send these."""
    match control.kind:
        case "check":
            return {control.path: [control.value]}
        case "counts" if control.required and "default" in control.schema:
            return {one.path: [one.value] for one in control.children}
        case "checks" if control.required and "default" in control.schema:
            return {control.path: [option.value for option in control.options if option.chosen]}
        case "group" if control.required:
            return {path: values for child in control.children for path, values in _filled_in(child).items()}
    return {}


def _put_alternative(control: Control, value, posted) -> None:
    if value is None and not control.required:
        posted[control.path] = [""]
        return
    for at, child in enumerate(control.children):
        if fault(child.schema, value) is None:
            posted[control.path] = [str(at)]
            _put(child, value, posted)
            return
    raise AssertionError(f"no alternative fits {value}")


def canonical(value):
    """Return a value without what pages cannot express: the order of ticked boxes, and empty optional values."""
    if isinstance(value, list):
        return sorted((canonical(item) for item in value), key=repr)
    if isinstance(value, dict):
        return {name: canonical(sub) for name, sub in sorted(value.items()) if canonical(sub) not in ([], {}, None)}
    return value


def said(sheet: Sheet, command: dict) -> dict:
    """Return a command without optional values whose only choice is zero, no or nothing, or that an empty box stands for."""
    values = {name: value for name, value in command.items() if name != "name"}
    if sheet.form.choice is not None:
        return {"name": command["name"], **_said_in(sheet.controls[0], values)}
    return {"name": command["name"], **_said(sheet.controls, values)}


def _said_in(control: Control, values: dict) -> dict:
    if control.kind != "alternatives":
        return _said(control.children, values)
    return _said_in(next(child for child in control.children if fault(child.schema, values) is None), values)


def _said(controls, values: dict) -> dict:
    by_name = {control.path.rsplit(".", 1)[-1]: control for control in controls}
    usual = {name: read_value(one, filled) for name, one in by_name.items() if (filled := _filled_in(one))}
    usual = {name: value for name, value in usual.items() if value is not MISSING}
    return {
        name: _said(by_name[name].children, value) if by_name[name].kind == "group" and isinstance(value, dict) else value
        for name, value in (usual | values).items()
        if by_name[name].kind != "absent" and (value is not False or by_name[name].kind != "check" or by_name[name].required)
    }
