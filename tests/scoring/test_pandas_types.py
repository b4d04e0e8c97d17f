"""Columns as pandas 2.3.1 read them, recorded from it; whatever pandas is installed, they are read so."""

import pytest

from worldforge.scoring.pandas_types import as_pandas_reads

RECORDED = [
    (["2020", ""], "float", ["2020.0", "nan"]),
    (["007", "12"], "int", ["7", "12"]),
    (["007", "twelve"], "text", ["007", "twelve"]),
    (["1e3", "2"], "float", ["1000.0", "2.0"]),
    (["12,400", "3"], "text", ["12,400", "3"]),
    (["True", "FALSE"], "bool", ["True", "False"]),
    (["true", ""], "text", ["True", "nan"]),
    (["inf", "1"], "float", ["inf", "1.0"]),
    (["NA", "nan", "-nan", "None", "<NA>"], "float", ["nan"] * 5),
    (["N/A", "x"], "text", ["nan", "x"]),
    (["9223372036854775807"], "int", ["9223372036854775807"]),
    (["9223372036854775808"], "unsigned", ["9223372036854775808"]),
    (["9223372036854775807", ""], "float", ["9.223372036854776e+18", "nan"]),
    (["-9223372036854775808", ""], "float", ["nan", "nan"]),
    (["9223372036854775808", ""], "text", ["9223372036854775808", ""]),
    (["9223372036854775808", "-1"], "text", ["9223372036854775808", "-1"]),
    (["-9223372036854775809", ""], "text", ["-9223372036854775809", "nan"]),
    (["-9223372036854775809", "7e86"], "float", ["-9.223372036854778e+18", "7e+86"]),
    (["18446744073709551616", "NA"], "text", ["18446744073709551616", "nan"]),
    (["18446744073709551616", "1.5"], "text", ["18446744073709551616", "1.5"]),
    (["0.30000000000000004"], "float", ["0.3"]),
    (["0.1234567890123456789"], "float", ["0.1234567890123456"]),
    (["123456789.123456789"], "float", ["123456789.12345678"]),
    (["12345678901234567.5"], "float", ["1.2345678901234568e+16"]),
    (["000000000000000000000000000000000000012.5"], "float", ["0.0"]),
    (["00000000000000000000000000000000000005"], "int", ["5"]),
    (["1E400"], "text", ["1E400"]),
    (["1.8e308"], "text", ["1.8e308"]),
    (["1e-400"], "float", ["0.0"]),
    (["1e-320"], "float", ["1e-320"]),
    (["1e0005"], "float", ["100000.0"]),
    (["-0", ""], "float", ["0.0", "nan"]),
    (["-0.0"], "float", ["-0.0"]),
    (["+5", "-3"], "int", ["5", "-3"]),
    (["1.", "-.5"], "float", ["1.0", "-0.5"]),
    (["+Infinity", "iNf"], "float", ["inf", "inf"]),
    *(([cell], "text", [cell]) for cell in ("1_000", "１２", "1e", "5%", "0x10", "2020-01-02", "-", ".")),
]


@pytest.mark.parametrize(("cells", "kind", "written"), RECORDED, ids=["|".join(cells) for cells, _, _ in RECORDED])
def test_a_column_reads_as_it_did_there(cells, kind, written):
    assert as_pandas_reads(cells) == (kind, written)


def test_a_figure_of_any_length_is_read_in_time_linear_in_it():
    digits = "9" * 1_000_000
    assert as_pandas_reads([digits]) == ("text", [digits])
    assert as_pandas_reads([f"0.{digits}"]).cells == ["1.0"]
    assert as_pandas_reads([f"1e{digits}"]).kind == "text"
