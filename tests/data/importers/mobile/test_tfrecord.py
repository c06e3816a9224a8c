import gzip

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coepg.data.importers.crc32c import crc32c, masked_crc32c
from coepg.data.importers.tfrecord import Example, Frame, iter_frames
from coepg.errors import DataError
from mobile.wire import example, frame, slow_crc32c, write_tfrecord

THREE = [{"n": [k, -k], "name": [b"a", b"\xc3\xa9"], "x": [0.5, -1.0]} for k in range(3)]


def test_crc_of_the_standard():
    # RFC 3720, appendix B.4.
    assert crc32c(bytes(32)) == 0x8A9136AA
    assert crc32c(b"\xff" * 32) == 0x62A8AB43
    assert crc32c(bytes(range(32))) == 0x46DD794E


@settings(max_examples=8)
@given(st.binary(max_size=40), st.integers(0, 3), st.integers(1, 9))
def test_crc_of_long_data_equals_the_loop(seed, extra, factor):
    data = (seed + b"x") * (20000 * factor // (len(seed) + 1)) + b"y" * extra
    data = data[:40000]
    assert crc32c(memoryview(data)) == slow_crc32c(data)


@pytest.mark.parametrize("zipped", [False, True])
def test_frames_and_examples_are_read_back(tmp_path, zipped):
    path = write_tfrecord(tmp_path / "a", *THREE, zipped=zipped)
    found = [Example(f) for f in iter_frames(path)]
    assert [e.ints("n") for e in found] == [[0, 0], [1, -1], [2, -2]]
    assert found[0].texts("name") == ["a", "é"] and found[0].names == ["n", "name", "x"]
    assert found[2].floats("x") == [0.5, -1.0]
    assert "record 1 at byte" in found[1].where


def test_a_plain_file_that_begins_like_gzip(tmp_path):
    # Its first record is 0x8b1f bytes long, and these are the two magic bytes of gzip.
    data = example({"x": b"z" * (0x8B1F - len(example({"x": b"z" * 30000})) + 30000)})
    assert frame(data)[:2] == b"\x1f\x8b"
    path = tmp_path / "a"
    path.write_bytes(frame(data))
    assert [f.data for f in iter_frames(path)] == [data]


def test_features_that_are_missing_or_of_another_kind(tmp_path):
    (one,) = [Example(f) for f in iter_frames(write_tfrecord(tmp_path / "a", THREE[1]))]
    with pytest.raises(DataError, match="feature 'goal'") as caught:
        one.one_text("goal")
    assert "n, name, x" in str(caught.value)
    with pytest.raises(DataError, match="values of type int"):
        one.texts("n")
    with pytest.raises(DataError, match="2 values"):
        one.one_int("n")


@pytest.mark.parametrize("zipped", [False, True])
@pytest.mark.parametrize("keep", [0, 1, 11, 30, -1])
def test_a_cut_file_says_where(tmp_path, zipped, keep):
    path = write_tfrecord(tmp_path / "a", *THREE, zipped=zipped)
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(DataError, match="empty|ends within|cannot be unpacked|length"):
        list(iter_frames(path))


def test_a_cut_inside_gzip_names_the_record(tmp_path):
    whole = b"".join(frame(example(e)) for e in THREE)
    path = tmp_path / "a"
    path.write_bytes(gzip.compress(whole[:-7]))
    found = []
    with pytest.raises(DataError, match=r"record 2 at byte \d+: the file ends within"):
        for record in iter_frames(path):
            found.append(record)
    # Read as a stream: what comes before the cut is given out first.
    assert [Example(f).ints("n") for f in found] == [[0, 0], [1, -1]]


def test_a_damaged_record_is_one_error_among_good_ones(tmp_path):
    path = write_tfrecord(tmp_path / "a", *THREE)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    found = list(iter_frames(path))
    assert [isinstance(f, Frame) for f in found] == [True, False, True]
    assert "record 1 at byte" in str(found[1]) and "checksum" in str(found[1])


@pytest.mark.parametrize("text", [b"{}", b"PK\x03\x04 a zip file of some length", b"\x1f\x8bgzip?"])
def test_another_kind_of_file(tmp_path, text):
    path = tmp_path / "a"
    path.write_bytes(text)
    with pytest.raises(DataError):
        list(iter_frames(path))


@given(st.binary(max_size=60))
def test_noise_is_no_example_but_never_a_crash(data):
    try:
        parsed = Example(Frame("x", data))
    except DataError:
        return
    assert isinstance(parsed.names, list)


def test_masks_differ_from_the_crc():
    assert masked_crc32c(b"123456789") != crc32c(b"123456789") == 0xE3069283


def test_real_records(shared_data):
    path = shared_data / "uibert_refexp" / "dev.tfrecord"
    found = [Example(f) for f in iter_frames(path)]
    assert len(found) == 509
    assert found[0].one_text("image/ref_exp/text") == "click on option below 50"
    for one in found:
        sides = [one.floats(f"image/object/bbox/{s}") for s in ("xmin", "ymin", "xmax", "ymax")]
        assert len({len(side) for side in sides}) == 1
        assert one.floats("image/object/num") == [len(sides[0])]
        assert all(0 <= v <= 1 for side in sides for v in side)
