"""The names of everything that parsing reports, with what each means.

A report counts these names, so they are stable and every parser uses them.
"""

from __future__ import annotations

REPAIRS: dict[str, str] = {
    "action_as_function_name": "the action stands where the tool's name belongs",
    "arguments_as_list": "the arguments are a list, not an object",
    "arguments_as_string": "the arguments are JSON inside a string",
    "bad_escape": "a backslash before a character that needs none",
    "box_as_point": "a box where a point belongs; its centre is taken",
    "call_in_list": "the call is the only item of a list",
    "code_fence": "a Markdown fence around the answer",
    "coordinates_as_object": 'coordinates as {"x": ..., "y": ...}',
    "coordinates_as_strings": "coordinates written as text",
    "cut": "only the end of a very long answer was read",
    "extra_closing_bracket": "more closing brackets than opening ones",
    "flat_arguments": "the arguments stand beside the tool's name",
    "key_value_in_array": "a key and a value without braces inside a list",
    "lower_case_action": "an action word in another case",
    "missing_brackets": "coordinates without brackets",
    "missing_closing_bracket": "a bracket is never closed",
    "missing_closing_tag": "a tag is never closed",
    "missing_comma": "no comma between two items",
    "missing_opening_tag": "the call without its opening tag",
    "missing_prefix": "no heading before the action",
    "nested_coordinates": "coordinates in one bracket too many",
    "positional_arguments": "arguments without their names",
    "python_literals": "True, False or None inside JSON",
    "raw_newline_in_string": "a line break inside a string",
    "single_quotes": "single quotes where JSON needs double ones",
    "swapped_brackets": "a bracket closed by one of another kind",
    "text_after_call": "words after the call",
    "text_before_call": "words before the call",
    "trailing_comma": "a comma before a closing bracket",
    "unescaped_quote": "a quote inside a string without a backslash",
    "unquoted_coordinates": "coordinates without the quotes that the dialect writes",
    "unquoted_string": "text without quotes",
    "unterminated_string": "a string is never closed",
    "wrong_function_name": "a tool that does not exist, with a known action",
}
"""What was mended so that an answer could be read."""

WARNINGS: dict[str, str] = {
    "extra_calls": "several actions in one answer; the first is taken",
    "outside_range": "a coordinate outside its space; kept as it is, so that it counts as a miss",
}
"""What is odd in an answer that was read without mending."""

FAILURES: dict[str, str] = {
    "empty": "there is no text",
    "no_call": "there is no action in the text",
    "malformed_call": "the action's call cannot be read",
    "malformed_json": "the action's JSON cannot be read",
    "too_long": "the call is too long or nested too deep",
    "unknown_action": "an action that the dialect does not have",
    "unsupported_action": "an action of the dialect that coepg cannot express",
    "no_point": "the action needs a point and has none",
    "no_value": "the action needs a text, direction, key or app and has none",
    "bad_coordinates": "coordinates that are not two finite numbers",
    "bad_direction": "a direction other than up, down, left and right",
    "too_many_keys": "a key press of more keys than a hand can hold; a runaway answer",
}
"""Why an answer could not be read."""
