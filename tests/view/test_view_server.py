import http.client
import json
import socket
import threading
from urllib.parse import urlencode

import pytest
from viewer_data import make_answers, make_dataset, make_png

from coepg.errors import ConfigError
from coepg.types import content_hash
from coepg.view.api import ViewerApi
from coepg.view.server import ViewerServer, image_type
from coepg.view.sources.open import open_source


@pytest.fixture
def server(tmp_path):
    steps = make_dataset(tmp_path / "data")
    path = make_answers(tmp_path / "a.jsonl", steps)
    with ViewerServer(ViewerApi(open_source(path, tmp_path / "data"))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def get(server, path, **headers):
    connection = http.client.HTTPConnection(*server.server_address[:2], timeout=20)
    connection.putrequest("GET", path, skip_host=True)
    for name, value in ({"Host": "127.0.0.1"} | headers).items():
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    found = answer.status, answer.headers, answer.read()
    connection.close()
    return found


def ask(server, call, **values):
    status, _, body = get(server, f"/api/{call}?{urlencode(values)}")
    return status, json.loads(body)


def test_it_listens_on_this_machine_alone(server):
    assert server.server_address[0] == "127.0.0.1"
    assert server.server_address[1] > 0


@pytest.mark.parametrize("path", ["/", "/page.js", "/api/about", "/image/x", "/nothing"])
def test_no_script_but_the_pages_own_may_run(server, path):
    policy = get(server, path)[1]["Content-Security-Policy"]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["script-src"] == "'self'"
    assert rules["default-src"] == "'none'"
    assert "unsafe" not in policy
    assert get(server, path)[1]["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(
    "path",
    [
        "/../../../../etc/passwd",
        "/static/../server.py",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/image/../../etc/passwd",
        "/image/" + "0" * 64,
        "/image/" + "A" * 64,
        "//etc/passwd",
        "/viewer.html",
        "http://[half",
    ],
)
def test_nothing_else_is_served(server, path):
    status, headers, body = get(server, path)
    assert status in (400, 404)
    assert headers["Content-Type"] == "application/json"
    assert b"root:" not in body


def test_pictures_are_served_by_hash(server):
    status, headers, body = get(server, f"/image/{content_hash(make_png())}")
    assert (status, headers["Content-Type"], body) == (200, "image/png", make_png())


def test_unknown_bytes_are_no_markup():
    assert image_type(b"<html><script>") == "application/octet-stream"
    assert image_type(b"<svg onload=x>") == "application/octet-stream"
    assert image_type(b"\xff\xd8\xff\xe0") == "image/jpeg"
    assert image_type(b"RIFF....WEBP") == "image/webp"


@pytest.mark.parametrize(
    ("host", "status"),
    [("localhost:1", 200), ("127.0.0.1", 200), ("evil.example", 403), ("", 403), ("[", 400)],
)
def test_other_names_of_this_machine_are_refused(server, host, status):
    assert get(server, "/api/about", Host=host)[0] == status


def test_rows_are_paged_and_filtered(server):
    status, found = ask(server, "rows", collection="a.jsonl", verdict="wrong", offset=1, limit=1)
    assert (status, found["count"], found["matched"]) == (200, 9, 3)
    assert [row["row"] for row in found["rows"]] == [4]
    assert len(ask(server, "rows", collection="a.jsonl", limit=10**9)[1]["rows"]) == 9
    assert ask(server, "rows", collection="a.jsonl", offset=50, limit=5)[1]["rows"] == []


def test_next_wrong_is_a_position_in_what_is_listed(server):
    values = {"collection": "a.jsonl", "action_type": "click"}  # rows 0 1 3 4 6 7
    assert ask(server, "next-wrong", **values, position=1)[1] == {"position": 3}
    assert ask(server, "next-wrong", **values, position=3)[1] == {"position": 1}


@pytest.mark.parametrize(
    ("call", "values", "status", "said"),
    [
        ("rows", {"collection": "nothing"}, 422, "no such collection"),
        ("step", {"collection": "a.jsonl", "row": 99}, 422, "row 99"),
        ("step", {"collection": "a.jsonl", "row": -1}, 422, "row -1"),
        ("step", {"collection": "a.jsonl", "row": "1;"}, 400, "whole number"),
    ],
)
def test_wrong_requests_are_told_why(server, call, values, status, said):
    found, body = ask(server, call, **values)
    assert found == status
    assert said in body["error"]


def test_a_port_in_use_is_named():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(ConfigError, match=str(port)) as caught:
            ViewerServer(ViewerApi(open_source("miniwob")), port=port)
    assert caught.value.found == "the port is in use"
    assert "--port 0" in caught.value.fix
