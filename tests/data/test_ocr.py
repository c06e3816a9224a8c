import pytest
from PIL import Image, ImageDraw

from coepg.data.ocr import TextReader

pytest.importorskip("rapidocr")


def test_reads_words_with_boxes_in_the_pictures_own_pixels():
    picture = Image.new("RGB", (160, 160), "white")
    ImageDraw.Draw(picture).text((30, 100), "Submit", fill="black", font_size=12)
    (piece,) = TextReader().read(picture)
    assert piece.text == "Submit"
    assert piece.source.value == "ocr" and piece.score > 0.5
    assert abs(piece.box_px.x0 - 30) < 5 and abs(piece.box_px.center.y - 107) < 6
    assert TextReader().read(Image.new("RGB", (50, 50), "white")) == ()
