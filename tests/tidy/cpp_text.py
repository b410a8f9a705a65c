"""Just enough understanding of C++ source text for the tidy checks: no parser, only heuristics that
hold for code in the house style."""
import re

TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"([^()\\ ]{0,16})\(.*?\)\1"|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'", re.DOTALL)
CONTROL = re.compile(r"\b(?:if|for|while|switch|catch|else|do|try|return)\b")
NOT_A_FUNCTION = re.compile(r"\b(?:namespace|class|struct|union|enum|extern)\b|=\s*$|=\s*[\w:<>]+\s*$")


def blank(text):
    """The text with comments and literals replaced by blanks; line ends stay."""
    def spaces(match):
        kept = "" if match[0].startswith("/") else "\"\""
        body = re.sub(r"[^\n]", " ", match[0])
        return kept + body[len(kept):]
    return TOKEN.sub(spaces, text)


def functions(text):
    """(first line, number of lines, head) of each function body, counted with its signature."""
    code = blank(text)
    stack = []  # (is function, line on which its head begins, head)
    head_start, line = 0, 1
    lines_at = [0]
    for match in re.finditer(r"\n", code):
        lines_at.append(match.end())
    position_line = _line_finder(lines_at)
    for match in re.finditer(r"[{};]", code):
        at = match.start()
        if match[0] == "{":
            head = code[head_start:at]
            inside = any(entry[0] for entry in stack)
            is_function = not inside and _is_function_head(head)
            first = head_start + len(head) - len(head.lstrip())
            stack.append((is_function, position_line(first), " ".join(head.split())))
        elif match[0] == "}" and stack:
            is_function, line, head = stack.pop()
            if is_function:
                yield line, position_line(at) - line + 1, head
        # The parts of a for statement are no statements of their own.
        if match[0] != ";" or code.count("(", head_start, at) == code.count(")", head_start, at):
            head_start = match.end()


def _line_finder(starts):
    from bisect import bisect_right
    return lambda position: bisect_right(starts, position)


def _is_function_head(head):
    head = re.sub(r"^\s*#[^\n]*\n", "", head, flags=re.MULTILINE)
    head = re.sub(r"\benum class\b|\btemplate\s*<[^{}]*?>\s*(?=[\w\[])", " ", head)
    before_parameters = head.split("(", 1)[0]
    return (")" in head and not CONTROL.search(before_parameters)
            and not NOT_A_FUNCTION.search(before_parameters))


def includes(text):
    """(line number, bracket or quote, path) of each include directive."""
    for number, line in enumerate(text.splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if match:
            yield number, match[1], match[2]
