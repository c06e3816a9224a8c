import pytest

from coepg.errors import DataError
from coepg.types import Box, TextSource
from mobile.wire import write_tfrecord


def record(**changes):
    values = {
        "image/id": b"18177",
        "image/object/bbox/xmin": [0.0, 0.25],
        "image/object/bbox/ymin": [0.0, 0.5],
        "image/object/bbox/xmax": [0.5, 0.75],
        "image/object/bbox/ymax": [0.1, 0.625],
        "image/ref_exp/label": 1,
        "image/ref_exp/text": b"click the lower one",
        "image/view_hierarchy/text": [b"play  now", b""],
        "image/view_hierarchy/class/name": [b"TEXT_BUTTON", b"View"],
        "image/view_hierarchy/bbox/xmin": [0.25, 0.0],
        "image/view_hierarchy/bbox/ymin": [0.5, 0.0],
        "image/view_hierarchy/bbox/xmax": [0.75, 1.0],
        "image/view_hierarchy/bbox/ymax": [0.625, 1.0],
    }
    return {k: v for k, v in {**values, **changes}.items() if v is not None}


def test_the_labelled_box_in_pixels(tmp_path, make_png, import_steps):
    (tmp_path / "18177.jpg").write_bytes(make_png((200, 400)))
    (step,) = import_steps("refexp", write_tfrecord(tmp_path / "dev.tfrecord", record()), "dev")
    assert step.target_box_px == Box(50, 200, 150, 250)
    assert step.instruction == "click the lower one"
    assert step.tags == {
        "platform": "mobile", "rico_id": "18177", "target_box_source": "annotation",
    }  # fmt: skip
    (text,) = step.screen_text
    assert (text.text, text.source, text.role) == ("play now", TextSource.A11Y, "text_button")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"image/ref_exp/label": 2}, "index of one of 2"),
        ({"image/id": b"404"}, "picture '404.jpg'"),
        ({"image/ref_exp/text": b"\xff\xfe"}, "UTF-8"),
        ({"image/ref_exp/text": []}, "0 values"),
        ({"image/ref_exp/text": None}, "missing"),
        ({"image/object/bbox/xmax": [0.5, 0.1]}, "xmin <= xmax"),
        ({"image/object/bbox/xmax": [0.5]}, "one length"),
        ({"image/object/bbox/xmax": [0.5, 75.0]}, "outside"),
        ({"image/view_hierarchy/text": [b"a"]}, "as many of each"),
    ],
)
def test_bad_records(tmp_path, make_png, import_steps, changes, message):
    (tmp_path / "18177.png").write_bytes(make_png((200, 400)))
    source = write_tfrecord(tmp_path / "dev.tfrecord", record(), record(**changes))
    with pytest.raises(DataError, match="record 1 at byte") as caught:
        import_steps("refexp", source, "dev")
    assert message in str(caught.value)
    assert len(import_steps("refexp", source, "dev", keep_going=True)) == 1


def test_real_records_with_drawn_pictures(tmp_path, shared_data, make_png, import_steps):
    from coepg.data.importers.tfrecord import Example, iter_frames

    source = shared_data / "uibert_refexp" / "dev.tfrecord"
    ids = {Example(f).one_text("image/id") for f in iter_frames(source)}
    picture = make_png((1080, 1920))
    for rico_id in ids:
        (tmp_path / f"{rico_id}.jpg").write_bytes(picture)
    steps = import_steps("refexp", source, "dev", images=tmp_path)
    assert len(steps) == 509
    assert steps[0].instruction == "click on option below 50"
    # Label 10 of the first record, as fractions in the file.
    expected = (0.0388889 * 1080, 0.4625 * 1920, 0.9611111 * 1080, 0.528125 * 1920)
    assert steps[0].target_box_px.as_tuple() == pytest.approx(expected, abs=1e-2)
