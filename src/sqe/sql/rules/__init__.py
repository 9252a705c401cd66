"""What turns a tree of the user's dialect into one of Spark's: one rule per concern, in this order."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from sqe.sql.context import Context
from sqe.sql.rules.asof_joins import translate_asof_joins
from sqe.sql.rules.calls import translate_calls
from sqe.sql.rules.changes import translate_changes
from sqe.sql.rules.clauses import refuse_clauses
from sqe.sql.rules.column_names import name_columns
from sqe.sql.rules.conditions import translate_conditions
from sqe.sql.rules.distinct_on import translate_distinct_on
from sqe.sql.rules.frames import translate_frames
from sqe.sql.rules.hidden_columns import translate_hidden_columns
from sqe.sql.rules.identifiers import fold_identifiers
from sqe.sql.rules.literals import translate_literals
from sqe.sql.rules.memberships import translate_memberships
from sqe.sql.rules.nesting import refuse_deep_nesting
from sqe.sql.rules.operators import translate_operators
from sqe.sql.rules.qualify import translate_grouping_sets, translate_qualify
from sqe.sql.rules.relations import translate_relations
from sqe.sql.rules.replacements import replace_columns
from sqe.sql.rules.row_limits import translate_limits
from sqe.sql.rules.special_calls import translate_special_calls
from sqe.sql.rules.types import translate_types
from sqe.sql.rules.variables import refuse_variables
from sqe.sql.rules.window_filters import translate_window_filters

Rule = Callable[[exp.Expr, Context], exp.Expr]

RULES: tuple[Rule, ...] = (
    refuse_deep_nesting,
    refuse_variables,
    refuse_clauses,
    translate_asof_joins,
    name_columns,
    replace_columns,
    translate_changes,
    translate_hidden_columns,
    translate_relations,
    translate_conditions,
    translate_window_filters,
    translate_grouping_sets,
    translate_frames,
    translate_special_calls,
    translate_literals,
    translate_calls,
    translate_operators,
    translate_memberships,
    translate_types,
    translate_distinct_on,
    translate_limits,
    translate_qualify,
    fold_identifiers,
)
