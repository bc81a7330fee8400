"""The paper's own topic and training set, for tests."""

from fieldmouse.focus.topic import Keyword, Topic
from fieldmouse.focus.words import Stems

# Table 1; row 7 is missing in print, and stands here between its neighbours.
TABLE = {
    "Stock": 1.0, "Market": 0.780120, "Quote": 0.427710, "Finance": 0.355421, "Trade": 0.322289,
    "Invest": 0.268072, "Share": 85 / 332,
    "Exchange": 0.243975, "Price": 0.225903, "Business": 0.135542, "Bank": 0.132530,
    "Chart": 0.132530, "Economy": 0.129518, "Money": 0.126506,
}  # fmt: skip

# Table 2: the four attributes of the seeds, and their class.
SEEDS = (
    ((0.25, 0.97, 0.64, 0.76), True), ((0.66, 0.67, 0.69, 0.65), True), ((0.32, 0.79, 0.60, 0.32), True),
    ((0.0, 0.82, 0.67, 0.46), True), ((0.54, 0.89, 0.67, 0.29), True), ((0.12, 0.85, 0.29, 0.69), True),
    ((0.0, 0.50, 0.20, 0.60), False), ((0.51, 0.50, 0.16, 0.18), False),
)  # fmt: skip


def stock_market() -> Topic:
    stems = Stems()
    rows = tuple(Keyword(word, stems[word.lower()], weight) for word, weight in TABLE.items())
    return Topic(name="stock market", keywords=rows)
