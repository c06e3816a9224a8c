"""Word lists that visible texts are drawn from."""

from __future__ import annotations


def listed(text: str, separator: str | None = None) -> tuple[str, ...]:
    """Words of a text, or its parts between separators."""
    return tuple(part.strip() for part in text.split(separator))


UI_WORDS = listed(
    """
    open save send print copy paste undo redo edit view help home back next previous finish start
    stop pause resume update refresh reload install remove delete add create new rename move share
    export import upload download sync login logout register account profile settings options
    tools filter sort group search find replace select clear reset apply accept decline agree
    cancel close continue confirm ok yes no maybe later skip submit order buy cart checkout pay
    invoice price total discount coupon shipping delivery return refund track status report chart
    table list grid page file folder image photo video music sound voice text note draft inbox
    outbox archive spam trash flag label tag color size width height weight length depth speed
    volume brightness contrast zoom rotate crop draw erase fill shape line border shadow font bold
    italic align left right center top bottom
    """
)

COMMON_WORDS = listed(
    """
    apple bridge candle desert engine forest garden harbor island jacket kitchen ladder market
    needle orange pencil quartz river saddle temple umbrella valley window yellow zebra anchor
    basket cactus dragon eagle falcon guitar hammer insect jungle kettle lemon magnet napkin olive
    parrot rabbit salmon ticket tulip violin walnut yogurt blanket cabbage diamond elephant
    feather giraffe horizon journey kingdom lantern mountain notebook octopus penguin quarter
    rainbow sunrise thunder village weather airport balcony captain dolphin evening fiction
    gravity history imagine justice library machine nothing opinion picture quality running
    science teacher uniform victory welcome cat dog sun moon star tree lake sea sky rain snow wind
    fire ice rock sand leaf root seed bird fish bear wolf fox deer hen pig cow bus car van ship
    road path gate door wall roof desk lamp bed cup jar pot pan fork spoon bread milk rice meat
    soup salt cake tea egg nut plum pear fig grape melon peach red blue green black white brown
    quick slow happy quiet loud bright dark early warm cold fresh young ancient simple gentle
    clever brave honest walk talk read write sing jump swim climb build carry gather follow listen
    answer wonder travel remember between beyond under after before during while the a of and in
    to with from by for on at is was had not but all some very
    """
)

FIRST_NAMES = listed(
    """
    Ada Alma Boris Carla Cyril Dana Denis Edith Elmo Fiona Felix Greta Gus Hanna Hugo Ines Ivan
    Jana Jonas Karin Kurt Lena Leo Maya Milan Nadia Nils Olga Otto Paula Pavel Rita Ravi Sara Sven
    Tara Theo Uma Vera Viktor Wanda Xenia Yara Yusuf Zoe Amir Bella Chen Dilip Emeka Farah Goran
    Hiro Ida Joao Keiko Luis Mei Nina Omar Priya Quinn Rosa Samir Tomas Ursula Wei
    """
)

LAST_NAMES = listed(
    """
    Abbott Berger Castro Dubois Eriksen Fischer Gallo Haas Ibsen Jansen Kovac Lopez Moreau Novak
    Okafor Petrov Quist Rossi Schmidt Tanaka Ueda Vargas Weber Xu Yilmaz Zeman Baker Carver Dalton
    Ellison Foster Grant Hobbs Irwin Keller Lowell
    """
)

COUNTRIES = listed(
    """
    Albania Austria Belgium Bolivia Brazil Canada Chile China Croatia Cuba Cyprus Denmark Ecuador
    Egypt Estonia Fiji Finland France Gabon Germany Ghana Greece Haiti Hungary Iceland India Iran
    Ireland Italy Japan Jordan Kenya Laos Latvia Malta Mexico Nepal Norway Oman Panama Peru Poland
    Portugal Qatar Romania Senegal Serbia Spain Sweden Togo Tunisia Turkey Uganda Ukraine Vietnam
    Yemen Zambia
    """
)

CITIES = listed(
    """
    Lyon Porto Bergen Turin Graz Bilbao Leeds Split Cusco Quito Kobe Pune Hue Tunis Dakar Accra
    Malmo Aarhus Tampere Riga Vilnius Ghent Basel Brno Gdansk Lviv Izmir
    """
)

FIELD_LABELS = listed(
    """
    Name | First name | Last name | Email | Phone | City | Street | Zip code | Country | Company |
    Title | Subject | Message | Comment | Nickname | Age | Code | Amount | Quantity | Date | Room
    | Color | Team | Address | Topic | Keyword | Note | Website | Department | Number | Answer |
    Product | Price | From | To
    """,
    "|",
)

MONTHS = listed(
    """
    January February March April May June July August September October November December
    """
)
