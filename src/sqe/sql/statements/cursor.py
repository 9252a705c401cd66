"""Reads a statement's tokens one after another."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot.tokenizer_core import Token, TokenType

from sqe.core.errors import SqlSyntaxError
from sqe.sql.tokens import position_of


class Cursor:
    """A place in the tokens of a statement."""

    def __init__(self, tokens: Sequence[Token], sql: str) -> None:
        self._tokens = [token for token in tokens if token.token_type is not TokenType.SEMICOLON]
        self._sql = sql
        self._at = 0

    @property
    def ended(self) -> bool:
        """Whether nothing is left."""
        return self._at >= len(self._tokens)

    def word(self, *words: str) -> bool:
        """Take these words if they come next."""
        texts = [token.text.upper() for token in self._tokens[self._at : self._at + len(words)]]
        # Some tokens are several words, such as ORDER BY.
        if texts != [word.upper() for word in words]:
            return False
        self._at += len(words)
        return True

    def expect(self, *words: str) -> None:
        """Take these words or complain."""
        if not self.word(*words):
            raise self.error(f"{' '.join(words).upper()} is expected")

    def name(self) -> str:
        """Take an identifier: folded unless it is quoted."""
        if self.ended:
            raise self.error("a name is expected")
        token = self._tokens[self._at]
        if token.token_type is TokenType.IDENTIFIER:
            self._at += 1
            return token.text
        if not (token.text[:1].isalpha() or token.text.startswith("_")):
            raise self.error("a name is expected")
        self._at += 1
        return token.text.lower()

    def path(self) -> list[str]:
        """Take names with dots between them."""
        parts = [self.name()]
        while self.take(TokenType.DOT):
            parts.append(self.name())
        return parts

    def text(self) -> str:
        """Take a string literal."""
        if not self.ended and self._tokens[self._at].token_type is TokenType.STRING:
            self._at += 1
            return self._tokens[self._at - 1].text
        raise self.error("a text in quotes is expected")

    def take(self, kind: TokenType) -> bool:
        """Take a token of a kind if it comes next."""
        if not self.ended and self._tokens[self._at].token_type is kind:
            self._at += 1
            return True
        return False

    def rest(self) -> str:
        """Take everything that is left, as written."""
        if self.ended:
            return ""
        first = self._tokens[self._at]
        self._at = len(self._tokens)
        return self._sql[first.start : self._tokens[-1].end + 1]

    def end(self) -> None:
        """Complain if anything is left."""
        if not self.ended:
            raise self.error("the statement should end here")

    def error(self, message: str) -> SqlSyntaxError:
        """A syntax error at this place."""
        token = self._tokens[min(self._at, len(self._tokens) - 1)] if self._tokens else None
        near = f" near {self._tokens[self._at].text!r}" if not self.ended else " at the end"
        return SqlSyntaxError(f"syntax error{near}: {message}", position=position_of(token) if token else None)
