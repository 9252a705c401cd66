"""Reads a statement's tokens one after another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from sqlglot.tokenizer_core import Token, TokenType

from sqe.core.errors import SqlSyntaxError
from sqe.sql.context import Context
from sqe.sql.tokens import PARAMETER_MARK, position_of

_OPEN = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE, TokenType.LT})
_CLOSE = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE, TokenType.GT})

_AFTER_NAME = frozenset({TokenType.COMMA, TokenType.R_PAREN})


@dataclass(frozen=True)
class Name:
    """A name as it is meant, and the token it came from."""

    text: str
    token: Token


class Cursor:
    """A place in the tokens of a statement."""

    def __init__(self, tokens: Sequence[Token], context: Context) -> None:
        self._tokens = [token for token in tokens if token.token_type is not TokenType.SEMICOLON]
        self._context = context
        self._at = 0

    @property
    def ended(self) -> bool:
        """Whether nothing is left."""
        return self._at >= len(self._tokens)

    @property
    def left(self) -> int:
        """How many tokens are left."""
        return len(self._tokens) - self._at

    def sees(self, *words: str) -> bool:
        """Whether these words come next; a token may be several words, such as ORDER BY."""
        at, wanted = self._at, list(words)
        while wanted:
            if at >= len(self._tokens):
                return False
            parts = self._tokens[at].text.upper().split()
            if [word.upper() for word in wanted[: len(parts)]] != parts:
                return False
            wanted = wanted[len(parts) :]
            at += 1
        self._seen = at
        return True

    _seen = 0

    def word(self, *words: str) -> bool:
        """Take these words if they come next."""
        if not self.sees(*words):
            return False
        self._at = self._seen
        return True

    def expect(self, *words: str) -> None:
        """Take these words or complain."""
        if not self.word(*words):
            raise self.error(f"{' '.join(words).upper()} is expected")

    def one_of(self, *choices: str) -> str:
        """Take one of these words or complain."""
        for choice in choices:
            if self.word(*choice.split()):
                return choice
        raise self.error(f"{', '.join(choices)} is expected")

    def name(self) -> Name:
        """Take an identifier: folded unless it is quoted."""
        token = self._tokens[self._at] if not self.ended else None
        if token is not None and token.text.startswith(PARAMETER_MARK):
            raise self.error("a name is expected, no parameter")
        if token is not None and token.token_type is TokenType.IDENTIFIER:
            self._at += 1
            return Name(token.text, token)
        if token is None or not (token.text[:1].isalpha() or token.text.startswith("_")):
            raise self.error("a name is expected")
        self._at += 1
        return Name(token.text.lower(), token)

    def path(self) -> list[Name]:
        """Take names with dots between them."""
        parts = [self.name()]
        while self.take(TokenType.DOT):
            parts.append(self.name())
        return parts

    def branch(self) -> Name | None:
        """Take `@branch` behind a name; its case counts."""
        if not self.take(TokenType.PARAMETER):
            return None
        name = self.name()
        return Name(name.token.text, name.token)

    def names(self) -> list[str]:
        """Take names with dots between them, as plain texts."""
        return [name.text for name in self.path()]

    def name_list(self) -> list[Name]:
        """Take `(a, b)` if nothing but names stands in the bracket that comes next; empty otherwise."""
        before = self._at
        found = []
        if self.take(TokenType.L_PAREN):
            while self.left > 1 and self._is_name() and self._tokens[self._at + 1].token_type in _AFTER_NAME:
                found.append(self.name())
                if not self.take(TokenType.COMMA):
                    self._at += 1
                    return found
        self._at = before
        return []

    def _is_name(self) -> bool:
        token = self._tokens[self._at]
        return token.token_type is TokenType.IDENTIFIER or token.text[:1].isalpha() or token.text.startswith("_")

    def lists(self, word: str) -> bool:
        """Whether a bracket comes next and one of its items begins with a word."""
        if not self.next_is(TokenType.L_PAREN):
            return False
        depth = 0
        for before, token in pairwise(self._tokens[self._at :]):
            depth += (before.token_type in _OPEN) - (before.token_type in _CLOSE)
            if depth == 0:
                return False
            begins = depth == 1 and before.token_type in {TokenType.L_PAREN, TokenType.COMMA}
            if begins and token.token_type is not TokenType.IDENTIFIER and token.text.upper() == word:
                return True
        return False

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

    def next_is(self, kind: TokenType) -> bool:
        """Whether a token of a kind comes next."""
        return not self.ended and self._tokens[self._at].token_type is kind

    def taken(self, count: int) -> list[Token]:
        """The tokens that were taken last."""
        return list(self._tokens[self._at - count : self._at])

    def need(self, kind: TokenType, sign: str) -> None:
        """Take a token of a kind or complain."""
        if not self.take(kind):
            raise self.error(f"{sign} is expected")

    def until(self, *stops: str) -> list[Token]:
        """Take tokens up to one of these words, or a comma or closing bracket that belongs to what is around."""
        depth, taken = 0, []
        while not self.ended:
            token = self._tokens[self._at]
            kind = token.token_type
            if depth == 0 and (kind is TokenType.COMMA or kind in _CLOSE or token.text.upper() in stops):
                break
            depth += (kind in _OPEN) - (kind in _CLOSE)
            taken.append(token)
            self._at += 1
        return taken

    def bracketed(self) -> list[Token]:
        """Take everything up to the bracket that closes the one taken before, and that one."""
        depth = 0
        taken: list[Token] = []
        while not self.ended:
            token = self._tokens[self._at]
            self._at += 1
            if token.token_type is TokenType.R_PAREN and depth == 0:
                return taken
            depth += (token.token_type is TokenType.L_PAREN) - (token.token_type is TokenType.R_PAREN)
            taken.append(token)
        raise self.error(") is expected")

    def any(self) -> list[Token]:
        """Take the next token, whatever it is."""
        self._at += 1
        return self._tokens[self._at - 1 : self._at]

    def rest(self) -> list[Token]:
        """Take everything that is left."""
        taken = self._tokens[self._at :]
        self._at = len(self._tokens)
        return taken

    def written(self, tokens: Sequence[Token]) -> str:
        """Tokens as they stand in the text."""
        return self._context.sql[tokens[0].start : tokens[-1].end + 1] if tokens else ""

    def end(self) -> None:
        """Complain if anything is left."""
        if not self.ended:
            raise self.error("the statement should end here")

    def error(self, message: str) -> SqlSyntaxError:
        """A syntax error at this place."""
        token = self._tokens[min(self._at, len(self._tokens) - 1)] if self._tokens else None
        written = "" if self.ended else self._tokens[self._at].text
        near = f" near {'?' if written.startswith(PARAMETER_MARK) else written!r}" if written else " at the end"
        return SqlSyntaxError(f"syntax error{near}: {message}", position=position_of(token) if token else None)
