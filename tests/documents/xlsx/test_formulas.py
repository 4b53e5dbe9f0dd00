from __future__ import annotations

import pytest

from bot.documents.xlsx.formulas import (
    Formula,
    Malformed,
    Names,
    make_relative,
    parse_formula,
    to_column_letters,
    to_column_number,
)
from bot.documents.xlsx.functions import Value
from bot.documents.xlsx.grid import Grid, Outcome

NAMES = Names(
    {"prix": 2, "quantité": 3}, {"ventes": (0, "Ventes"), "l'an 2": (1, "L'an 2")}, last_row=9
)
ROW = 5


def read(text: str, row: int = ROW) -> Formula:
    return parse_formula(make_relative(text, row), NAMES)


def written(text: str, row: int = ROW) -> str:
    return read(text).written(row)


def compute(text: str, *columns: list[Value]) -> Value | str:
    """What comes of `text` in row 2 of a column beside `columns`, whose first cells are row 1."""
    height = max((len(column) for column in columns), default=2)
    padded: list[list[Value | Formula]] = [[*c, *[None] * (height - len(c))] for c in columns]
    own: list[Value | Formula] = [None] * height
    own[1] = read(text, row=2)
    grid = Grid([[*padded, own]])
    outcome = grid.outcome(0, 2, len(columns) + 1)
    return outcome.error or outcome.value


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("=B2*C2", "=B2*C2"),
        ("=b{row}*C{row}", "=B5*C5"),
        ("=D{row-1}+B{ row }", "=D4+B5"),
        ("=[Prix]*[@Quantité]", "=$B5*$C5"),
        ("=SOMME(B2:B9;C3)", "=SUM(B2:B9,C3)"),
        ("=SI(B2>1,5;\"oui\";'Ventes'!A1)", "=IF(B2>1.5,\"oui\",'Ventes'!A1)"),
        ("=B2*1,18", "=B2*1.18"),
        ("=ROUND(B2,2)", "=ROUND(B2,2)"),
        ("=$B$2+B$3+$C4", "=$B$2+B$3+$C4"),
        ("=SUM(ventes!A:B)", "=SUM('Ventes'!A:B)"),
        ("='L''an 2'!B1", "='L''an 2'!B1"),
        ("=MAXIFS(A1:A2,B1:B2,1)", "=_xlfn.MAXIFS(A1:A2,B1:B2,1)"),
        ("=XLOOKUP(A1,B1:B2,C1:C2)", "=_xlfn.XLOOKUP(A1,B1:B2,C1:C2)"),
        ("=STDEV.S(A1:A2)", "=STDEV(A1:A2)"),
        ('="A1"&B{row}', '="A1"&B5'),
        ("= -B2 ^ 2 %", "=-B2^2%"),
        ("=LOG10(B2)", "=LOG10(B2)"),
    ],
)
def test_a_formula_is_written_as_files_want_it(given: str, expected: str) -> None:
    assert written(given) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("=[Prix]/SUM([Prix])", "=$B5/SUM($B$2:$B$9)"),
        ("=[@Prix]-MOYENNE([prix])", "=$B5-AVERAGE($B$2:$B$9)"),
        ("=SUM([Prix];[Quantité])", "=SUM($B5,$C5)"),
        ("=SUM([Prix]:[Quantité])", "=SUM($B5:$C5)"),
        ("=MAX([Prix];0)", "=MAX($B5,0)"),
        ("=SUM([@Prix])", "=SUM($B5)"),
        ("=SUM([@[Prix]])", "=SUM($B5)"),
        ("=SUM([Prix]*2)", "=SUM($B5*2)"),
        ("=ROUND([Prix];0)", "=ROUND($B5,0)"),
        ("=RANG([Prix];[Prix])", "=RANK($B5,$B$2:$B$9)"),
        ("=SOMME.SI([Prix];[Prix];[Quantité])", "=SUMIF($B$2:$B$9,$B5,$C$2:$C$9)"),
        ("=SUMIFS([Prix],[Quantité],[Quantité])", "=SUMIFS($B$2:$B$9,$C$2:$C$9,$C5)"),
        ("=NB.SI.ENS([Prix];[Prix];[Quantité];2)", "=COUNTIFS($B$2:$B$9,$B5,$C$2:$C$9,2)"),
        ("=SOMMEPROD([Prix]*[Quantité])", "=SUMPRODUCT($B$2:$B$9*$C$2:$C$9)"),
        ("=SUMPRODUCT([Prix],[Quantité])*[Prix]", "=SUMPRODUCT($B$2:$B$9,$C$2:$C$9)*$B5"),
    ],
)
def test_a_header_is_the_whole_column_where_a_list_is_wanted(given: str, expected: str) -> None:
    assert written(given) == expected


def test_a_formula_read_in_one_row_can_be_written_in_another() -> None:
    assert written("=B4+$C$1", row=9) == "=B8+$C$1"


@pytest.mark.parametrize(
    "text",
    [
        "=cmd|' /C calc'!A0",
        '=DDE("cmd";"/C calc";"!A0")',
        '=WEBSERVICE("http://example.org")',
        '=HYPERLINK("http://example.org")',
        "=[other.xlsx]Sheet1!A1",
        "='[other.xlsx]Sheet1'!A1",
        "='http://example.org/[x.xlsx]S'!A1",
        '=INDIRECT("A1")',
        "=CALL(1)",
        "=RTD(1,2,3)",
        "=Unknown!A1",
        "=[Absent]*2",
        "={1,2}",
        "=_xlfn.WEBSERVICE(1)",
        "=Name",
    ],
)
def test_nothing_may_reach_out_of_the_workbook(text: str) -> None:
    with pytest.raises(Malformed):
        read(text)


@pytest.mark.parametrize(
    "text",
    [
        *("=", "=B2*", "=(B2", "=B2)", "=SUM(", "=SUM()", "=ROUND(B2)", "=IF(1)", "=1 2", "=B2 C2"),
        *("=SUM B2", "=ZZZ1", "=B0+B$0", "=B$9999999", '="a', "=B2:2", "=1:1", "=A1:B:C", "=,1"),
        *("=" + "(" * 300 + "1" + ")" * 300, "=" + "-" * 300 + "1", "=" + "1+" * 2_000 + "1"),
    ],
)
def test_what_would_make_a_file_broken_is_refused(text: str) -> None:
    with pytest.raises(Malformed):
        read(text).check_row(ROW)


def test_a_formula_cannot_look_above_the_sheet() -> None:
    with pytest.raises(Malformed, match="row"):
        read("=B{row-9}").check_row(5)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("=1+2*3", 7.0),
        ("=(1+2)*3", 9.0),
        ("=2^3^2", 64.0),
        ("=-2^2", 4.0),
        ("=10%*50", 5.0),
        ('="a"&1&"b"', "a1b"),
        ("=1/0", "#DIV/0!"),
        ('="x"*2', "#VALUE!"),
        ("=SQRT(-1)", "#NUM!"),
        ("=9^999", "#NUM!"),
        ("=IFERROR(1/0,5)", 5.0),
        ("=IF(2>1,10,20)", 10.0),
        ('=IF("a"="A",1,0)', 1.0),
        ("=AND(TRUE,1>0)", True),
        ("=NOT(OR(FALSE,1>2))", True),
        ("=ROUND(2.675,2)", 2.68),
        ("=ROUND(-2.5,0)", -3.0),
        ("=ROUNDUP(1.01,1)", 1.1),
        ("=ROUNDDOWN(1234,-2)", 1200.0),
        ("=MOD(-3,2)", 1.0),
        ("=INT(-1.5)", -2.0),
        ("=3<>3", False),
    ],
)
def test_values_are_computed(text: str, value: object) -> None:
    assert compute(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("=SUM(A1:A5)", 60.0),
        ("=AVERAGE(A2:A5)", 20.0),
        ("=MIN(A1:A9)", 10.0),
        ("=MAX(A:A)", 30.0),
        ("=COUNT(A1:A5)", 3.0),
        ("=COUNTA(A1:A5)", 5.0),
        ("=SUBTOTAL(109,A2:A5)", 60.0),
        ('=SUMIF(B:B,"Riz",A:A)', 30.0),
        ('=SUMIF(A2:A5,">15")', 50.0),
        ('=COUNTIF(B1:B5,"R*")', 2.0),
        ('=COUNTIF(B1:B5,"<>Riz")', 3.0),
        ('=COUNTIF(B1:B5,"<>")', 5.0),
        ('=COUNTIF(B:B,"")', None),
        ("=IF(0.1+0.2=0.3,1,0)", 1.0),
        ('=AVERAGEIF(B1:B5,"Mil",A1:A5)', 30.0),
        ("=A2*B2", "#VALUE!"),
        ("=AND(A1:A5)", True),
        ("=OR(A2:A5,FALSE)", True),
        ("=AND(B1:B5)", "#VALUE!"),
        ("=A2+A9", 10.0),
    ],
)
def test_cells_are_looked_up(text: str, value: object) -> None:
    amounts: list[Value] = ["Montant", 10.0, 20.0, "abc", 30.0]
    goods: list[Value] = ["Article", "Riz", "riz", "Maïs", "Mil"]
    assert compute(text, amounts, goods) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('=SUMIFS(B2:B6,A2:A6,"riz",C2:C6,">2")', 10.0),
        ('=SUMIFS(B:B,A:A,"Riz")', 1510.0),
        ('=COUNTIFS(A2:A6,"Riz",B2:B6,">100")', 1.0),
        ('=AVERAGEIFS(B2:B6,A2:A6,"Riz")', 755.0),
        ('=AVERAGEIFS(B2:B6,A2:A6,"Thé")', "#DIV/0!"),
        ('=MAXIFS(B2:B6,A2:A6,"Riz")', 1500.0),
        ('=MINIFS(B2:B6,A2:A6,"Thé")', 0.0),
        ('=SUMIFS(B2:B6,A2:A5,"Riz")', "#VALUE!"),
        ('=SUMIFS(B2:B6,A2:A6,"Riz",C2:C6)', None),
        ('=COUNTIFS(A:A,"<>Riz")', None),
        ("=SUMPRODUCT(B2:B4,C2:C4)", 4270.0),
        ("=SUMPRODUCT(A2:A4,C2:C4)", 0.0),
        ("=SUMPRODUCT(B2:B4,C2:C5)", "#VALUE!"),
        ("=SUMPRODUCT(B2:B4*C2:C4)", None),
        ('=VLOOKUP("mil",A2:C6,2,FALSE)', 90.0),
        ('=RECHERCHEV("So*";A:C;3;FAUX)', 6.0),
        ('=VLOOKUP("Thé",A2:C6,2,0)', "#N/A"),
        ('=VLOOKUP("Riz",A2:C6,4,0)', "#REF!"),
        ('=IFERROR(VLOOKUP("Thé",A2:C6,2,0),"?")', "?"),
        ("=VLOOKUP(4.5,C2:C6,1)", 4.0),
        ("=VLOOKUP(100,B2:B6,1,TRUE)", None),
        ('=HLOOKUP("Q",A1:C6,3,FALSE)', 3.0),
        ('=INDEX(B2:B6,MATCH("Maïs",A2:A6,0))', 250.0),
        ("=INDEX(A2:C6,2,3)", 3.0),
        ("=INDEX(A1:C1,2)", "Prix"),
        ("=INDEX(A2:C6,9,1)", "#REF!"),
        ("=MATCH(5,C2:C6)", 4.0),
        ("=MATCH(1,C2:C6)", "#N/A"),
        ("=RANK(250,B2:B6)", 2.0),
        ("=RANG(B4;B$2:B$6;1)", 4.0),
        ("=RANK(10,B2:B5,0)", 4.0),
        ("=RANK(8,B2:B6)", "#N/A"),
        ("=LARGE(B2:B6,2)", 250.0),
        ("=PETITE.VALEUR(B2:B6;1)", 7.0),
        ("=LARGE(B2:B6,6)", "#NUM!"),
        ('=XLOOKUP("Mil",A2:A6,B2:B6)', 90.0),
        ('=RECHERCHEX("Thé";A2:A6;B2:B6;"rien")', "rien"),
        ('=XLOOKUP("Thé",A2:A6,B2:B6)', "#N/A"),
    ],
)
def test_cells_are_found_by_their_values(text: str, value: object) -> None:
    goods: list[Value] = ["P", "Riz", "Mil", "Maïs", "Riz", "Sorgho"]
    prices: list[Value] = ["Prix", 1500.0, 90.0, 250.0, 10.0, 7.0]
    counts: list[Value] = ["Q", 2.0, 3.0, 4.0, 5.0, 6.0]
    assert compute(text, goods, prices, counts) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("=PMT(0.12/12,24,-1000000)", 47073.472),
        ("=VPM(0;10;-1000)", 100.0),
        ("=PMT(0.01,12,0,-1000,1)", 78.068),
        ("=FV(0.05,10,-100)", 1257.789),
        ("=PV(0.05,10,-100)", 772.173),
        ("=IPMT(0.01,1,24,-1000)", 10.0),
        ("=PPMT(0.01,1,24,-1000)", 37.073),
        ("=IPMT(0.01,24,24,-1000)", 0.466),
        ("=NPV(0.1,100,100)", 173.554),
        ("=MEDIAN(4,1,3,2)", 2.5),
        ("=STDEV.S(2,4,4,4,5,5,7,9)", 2.138),
        ("=ECARTYPE.STANDARD(1;3)", 1.414),
    ],
)
def test_loans_and_statistics_are_computed(text: str, value: float) -> None:
    assert compute(text) == pytest.approx(value, abs=0.001)


@pytest.mark.parametrize(
    "text",
    ["=PMT(0.01,0,-1000)", "=FV(9,999999,1)", "=STDEV(1)", "=PMT(-2,2.5,100)", "=NPV(1E300,1,2)"],
)
def test_a_loan_without_a_result_is_an_error(text: str) -> None:
    assert str(compute(text)).startswith("#")


def test_what_is_not_computed_here_is_not_guessed() -> None:
    assert compute("=TODAY()") is None
    assert compute("=IRR(A1:A2)", [-1.0, 2.0]) is None


def test_a_long_sum_is_no_deep_one() -> None:
    assert compute("=" + "1+" * 900 + "1") == 901.0


def test_deep_formulas_that_wait_for_each_other_are_left_to_the_program() -> None:
    deep = "ABS(" * 35 + "A{row+1}" + ")" * 35
    column: list[Value | Formula] = [read(f"={deep}+1", row=row) for row in range(1, 200)]
    grid = Grid([[column]])
    assert grid.outcome(0, 1, 1) == Outcome()


def test_a_formula_that_depends_on_itself_says_so() -> None:
    one, two = read("=B2", row=2), read("=A2", row=2)
    grid = Grid([[[None, one], [None, two]]])
    assert grid.outcome(0, 2, 1) == Outcome(is_circular=True)


def test_a_balance_runs_down_a_long_column() -> None:
    balance: list[Value | Formula] = ["Solde", 1.0]
    balance += [read("=A{row-1}+1", row=row) for row in range(3, 3_001)]
    grid = Grid([[balance]])
    outcomes = [grid.outcome(0, row, 1).value for row in range(3, 3_001)]
    assert outcomes[-1] == 2_999.0


def test_sums_over_sums_end_before_they_take_all_day() -> None:
    column: list[Value | Formula] = [
        read("=SUM(B{row}:B$20000)", row=row) for row in range(1, 2_001)
    ]
    grid = Grid([[column + [None] * 18_000, [1.0] * 20_000]])
    outcomes = [grid.outcome(0, row, 1).value for row in range(1, 2_001)]
    assert outcomes[0] == 20_000.0
    assert outcomes[-1] is None


def test_columns_have_letters() -> None:
    assert [to_column_letters(number) for number in (1, 26, 27, 702, 703)] == [
        *("A", "Z", "AA", "ZZ", "AAA")
    ]
    assert all(
        to_column_number(to_column_letters(number)) == number for number in range(1, 17_000, 97)
    )
