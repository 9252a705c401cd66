"""The dialect that people write: Trino's, with DuckDB's conveniences; backticks quote names too.

The compiled parser and generator of sqlglot cannot be subclassed. What the dialect needs beyond them happens on the
tokens before the parser (`tokens.py`) and on the syntax tree after it (`rules/`).
"""

from __future__ import annotations

from typing import ClassVar

from sqlglot.dialects.spark import Spark
from sqlglot.dialects.trino import Trino
from sqlglot.tokenizer_core import TokenType


class Sqe(Trino):
    """How the text of a user is read."""

    # Subscripts stay as they are written; what they mean is decided where their types are known.
    INDEX_OFFSET = 0

    class Tokenizer(Trino.Tokenizer):
        """Names in double quotes or backticks."""

        #: Words after which sqlglot would take the rest of a statement as one text.
        COMMANDS: ClassVar[set[TokenType]] = set()
        #: Spark's spelling of typed numbers: 1L, 1.5BD.
        NUMERIC_LITERALS: ClassVar[dict[str, str]] = Spark.Tokenizer.NUMERIC_LITERALS
        IDENTIFIERS: ClassVar[list[str | tuple[str, str]]] = ['"', "`"]
        KEYWORDS: ClassVar[dict[str, TokenType]] = {
            **Trino.Tokenizer.KEYWORDS,
            "QUALIFY": TokenType.QUALIFY,
            "~": TokenType.RLIKE,
        }


READ = Sqe()
WRITE = Spark()
