"""What conditions of Spark and messages of Iceberg mean, in our words.

A condition comes with parameters, which stand in braces here; they are cleaned before they are filled in. What is not
listed keeps its own text, cleaned (`error_texts`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from sqe.core import errors
from sqe.core.errors import SqeError


@dataclass(frozen=True)
class Words:
    """A message with places for parameters, perhaps a hint, and the kind where it is not told by the SQLSTATE."""

    message: str
    hint: str | None = None
    kind: type[SqeError] | None = None


_TRY = "TRY(…) gives NULL instead"
_TRY_CAST = "TRY_CAST gives NULL instead"
_TOGETHER = "values of the types {leftType} and {rightType} do not go together"
_EXISTS = "IF NOT EXISTS leaves what is there as it is"

#: By condition; one without its own line has that of the condition that it is part of.
BY_CONDITION: dict[str, Words] = {
    # Values.
    "CAST_INVALID_INPUT": Words("the value {expression} cannot be cast to {targetType}", _TRY_CAST),
    "CAST_OVERFLOW": Words("the value {value} is too large for {targetType}", _TRY_CAST),
    "CAST_OVERFLOW_IN_TABLE_INSERT": Words(
        "a value of type {sourceType} is too large for the column {columnName} of type {targetType}"
    ),
    "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION": Words(
        "{value} is too large for decimal({precision}, {scale})", _TRY_CAST
    ),
    "NUMERIC_VALUE_OUT_OF_RANGE.WITHOUT_SUGGESTION": Words(
        "{originalValue} is too large for decimal({precision}, {scale})", _TRY_CAST
    ),
    "NUMERIC_OUT_OF_SUPPORTED_RANGE": Words("the number {value} has more than 38 digits"),
    "DIVIDE_BY_ZERO": Words("division by zero", _TRY),
    "REMAINDER_BY_ZERO": Words("division by zero", _TRY),
    "INTERVAL_DIVIDED_BY_ZERO": Words("division by zero", _TRY),
    "ARITHMETIC_OVERFLOW": Words("the result of a calculation is too large for its type", "cast to a larger type"),
    "BINARY_ARITHMETIC_OVERFLOW": Words(
        "{value1} {symbol} {value2} is too large for its type", "cast to a larger type"
    ),
    "INTERVAL_ARITHMETIC_OVERFLOW": Words("the interval is too long"),
    "DATETIME_OVERFLOW": Words("the result is beyond the dates that there are"),
    "INVALID_INDEX_OF_ZERO": Words("an array has no element 0; the first one is 1"),
    "INVALID_ARRAY_INDEX": Words("the array has {arraySize} elements, there is no element {indexValue}"),
    "INVALID_ARRAY_INDEX_IN_ELEMENT_AT": Words("the array has {arraySize} elements, there is no element {indexValue}"),
    "DUPLICATED_MAP_KEY": Words("the map key {key} is there twice"),
    "NULL_MAP_KEY": Words("a map key cannot be NULL"),
    "NOT_NULL_ASSERT_VIOLATION": Words(
        "the column {walkedTypePath} is NOT NULL, and there is a NULL for it", kind=errors.SqlDataError
    ),
    "SCALAR_SUBQUERY_TOO_MANY_ROWS": Words("a subquery that stands for one value gave more than one row"),
    "MERGE_CARDINALITY_VIOLATION": Words("a row of the target matches more than one row of the source"),
    # Names.
    "UNRESOLVED_COLUMN": Words("there is no column {objectName}"),
    "UNRESOLVED_MAP_KEY": Words("there is no column {objectName}", "a text stands in single quotes"),
    "UNRESOLVED_USING_COLUMN_FOR_JOIN": Words("there is no column {colName} on the {side} side of the join"),
    "UNRESOLVED_FIELD": Words("there is no field {fieldName}"),
    "FIELD_NOT_FOUND": Words("there is no field {fieldName}", "there are {fields}"),
    "UNRESOLVED_ROUTINE": Words("there is no function {routineName}", "SHOW FUNCTIONS lists what there is"),
    "FAILED_TO_LOAD_ROUTINE": Words("there is no procedure {routineName}", kind=errors.NotFoundError),
    "TABLE_OR_VIEW_NOT_FOUND": Words(
        "there is no table {relationName}",
        "write catalog.schema.table; SHOW TABLES IN catalog.schema lists what there is",
    ),
    "VIEW_NOT_FOUND": Words("there is no view {relationName}", "SHOW VIEWS IN catalog.schema lists what there is"),
    "SCHEMA_NOT_FOUND": Words("there is no schema {schemaName}", "SHOW SCHEMAS IN catalog lists what there is"),
    "CATALOG_NOT_FOUND": Words("there is no catalog {catalogName}", "SHOW CATALOGS lists what there is"),
    "TABLE_OR_VIEW_ALREADY_EXISTS": Words("{relationName} exists already", _EXISTS),
    "VIEW_ALREADY_EXISTS": Words("{relationName} exists already", _EXISTS),
    "SCHEMA_ALREADY_EXISTS": Words("the schema {schemaName} exists already", _EXISTS),
    "COLUMN_ALREADY_EXISTS": Words("there is more than one column {columnName}"),
    "FIELD_ALREADY_EXISTS": Words("there is a column {fieldNames} already"),
    "AMBIGUOUS_REFERENCE": Words("{name} is ambiguous", "it could be {referenceNames}"),
    "MISSING_WINDOW_SPECIFICATION": Words("there is no window {windowName}"),
    # Types.
    "DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN": Words("a condition must be a boolean, not {type}"),
    "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES": Words("values of the types {left} and {right} do not go together"),
    "DATATYPE_MISMATCH.BINARY_OP_WRONG_TYPE": Words("a value of type {actualDataType} does not fit here"),
    "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE": Words(
        "the {paramIndex} argument must be {requiredType}, not {inputType}"
    ),
    "DATATYPE_MISMATCH.DATA_DIFF_TYPES": Words("the values have different types: {dataType}"),
    "DATATYPE_MISMATCH.CREATE_MAP_KEY_DIFF_TYPES": Words("the keys have different types: {dataType}"),
    "DATATYPE_MISMATCH.CREATE_MAP_VALUE_DIFF_TYPES": Words("the values have different types: {dataType}"),
    "DATATYPE_MISMATCH.INVALID_ORDERING_TYPE": Words("values of type {dataType} have no order"),
    "DATATYPE_MISMATCH.IN_SUBQUERY_LENGTH_MISMATCH": Words("the subquery has {rightLength} columns, not {leftLength}"),
    "DATATYPE_MISMATCH.IN_SUBQUERY_DATA_TYPE_MISMATCH": Words(_TOGETHER),
    "DATATYPE_MISMATCH.MAP_FUNCTION_DIFF_TYPES": Words(_TOGETHER),
    "DATATYPE_MISMATCH.ARRAY_FUNCTION_DIFF_TYPES": Words(_TOGETHER),
    "DATATYPE_MISMATCH.BINARY_ARRAY_DIFF_TYPES": Words(_TOGETHER),
    "DATATYPE_MISMATCH.MAP_ZIP_WITH_DIFF_TYPES": Words(_TOGETHER),
    "DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION": Words("{srcType} cannot be cast to {targetType}"),
    "DATATYPE_MISMATCH.CAST_WITH_CONF_SUGGESTION": Words("{srcType} cannot be cast to {targetType}"),
    "DATATYPE_MISMATCH.CAST_WITH_FUNC_SUGGESTION": Words("{srcType} cannot be cast to {targetType}"),
    "DATATYPE_MISMATCH.INVALID_MAP_KEY_TYPE": Words("the keys of a map cannot be of type {keyType}"),
    "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE": Words("{exprName} must be between {valueRange}, not {currentValue}"),
    "INVALID_EXTRACT_BASE_FIELD_TYPE": Words("a value of type {other} has no fields"),
    "INCOMPATIBLE_COLUMN_TYPE": Words(
        "the {columnOrdinalNumber} column is {dataType2} in the first query and {dataType1} in the {tableOrdinalNumber}"
    ),
    "UNSUPPORTED_FEATURE.SET_OPERATION_ON_MAP_TYPE": Words(
        "DISTINCT, UNION, INTERSECT and EXCEPT do not take values of type {dataType}"
    ),
    # Shapes.
    "NUM_COLUMNS_MISMATCH": Words(
        "{operator} needs queries with equally many columns: the first has {firstNumColumns},"
        " the {invalidOrdinalNum} {invalidNumColumns}"
    ),
    "INSERT_COLUMN_ARITY_MISMATCH.NOT_ENOUGH_DATA_COLUMNS": Words(
        "there are fewer values than {tableName} has columns", "its columns are {tableColumns}"
    ),
    "INSERT_COLUMN_ARITY_MISMATCH.TOO_MANY_DATA_COLUMNS": Words(
        "there are more values than {tableName} has columns", "its columns are {tableColumns}"
    ),
    "CREATE_VIEW_COLUMN_ARITY_MISMATCH": Words("the names of the columns are not as many as the columns"),
    "ASSIGNMENT_ARITY_MISMATCH": Words("the names of the columns are not as many as the columns"),
    "NUM_TABLE_VALUE_ALIASES_MISMATCH": Words("there are {aliasesNum} names for {outColsNum} columns"),
    "INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_FIND_DATA": Words("the column {colName} needs a value"),
    "INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST": Words(
        "a value of type {srcType} cannot be stored in the column {colName} of type {targetType}",
        "CAST says how it is meant",
    ),
    "INCOMPATIBLE_DATA_FOR_TABLE.NULLABLE_COLUMN": Words("the column {colName} is NOT NULL"),
    "INCOMPATIBLE_DATA_FOR_TABLE.NULLABLE_ARRAY_ELEMENTS": Words("the elements of {colName} are NOT NULL"),
    "INCOMPATIBLE_DATA_FOR_TABLE.NULLABLE_MAP_VALUES": Words("the values of {colName} are NOT NULL"),
    "INCOMPATIBLE_DATA_FOR_TABLE.EXTRA_COLUMNS": Words("the table has no columns {extraColumns}"),
    "INCOMPATIBLE_DATA_FOR_TABLE.EXTRA_STRUCT_FIELDS": Words("{colName} has no fields {extraFields}"),
    "INCOMPATIBLE_DATA_FOR_TABLE.STRUCT_MISSING_FIELDS": Words(
        "the row for {colName} lacks the fields {missingFields}"
    ),
    "WRONG_NUM_ARGS": Words("the function {functionName} takes {expectedNum} arguments, not {actualNum}"),
    "FAILED_FUNCTION_CALL": Words("the function {funcName} does not take these arguments"),
    "MISSING_GROUP_BY": Words("beside an aggregate, every column must be in GROUP BY or in an aggregate"),
    "MISSING_AGGREGATION": Words("{expression} must be in GROUP BY or in an aggregate"),
    "GROUP_BY_AGGREGATE": Words("GROUP BY cannot hold an aggregate"),
    "NESTED_AGGREGATE_FUNCTION": Words("an aggregate cannot hold another one", "the inner one goes into a subquery"),
    "INVALID_WHERE_CONDITION": Words(
        "WHERE cannot hold aggregates, window functions and generators", "HAVING and QUALIFY can"
    ),
    "WINDOW_FUNCTION_WITHOUT_OVER_CLAUSE": Words("the function {funcName} needs OVER (…)"),
    "UNSUPPORTED_GROUPING_EXPRESSION": Words("grouping() goes with GROUPING SETS, CUBE and ROLLUP"),
    "RECURSION_LEVEL_LIMIT_EXCEEDED": Words("the recursion has not ended after {levelLimit} levels"),
    "RECURSION_ROW_LIMIT_EXCEEDED": Words("the recursion has not ended after {rowLimit} rows"),
    "UNBOUND_SQL_PARAMETER": Words("a parameter of the statement has no value"),
    "INVALID_INLINE_TABLE.NUM_COLUMNS_MISMATCH": Words(
        "the rows of VALUES must have {expectedNumCols} columns, and one of them has {actualNumCols}"
    ),
    "INVALID_INLINE_TABLE.INCOMPATIBLE_TYPES_IN_INLINE_TABLE": Words("the values of {colName} have different types"),
    "INVALID_LIMIT_LIKE_EXPRESSION.IS_NEGATIVE": Words("the {name} must be 0 or more, not {v}"),
    "INVALID_LIMIT_LIKE_EXPRESSION.DATA_TYPE": Words("the {name} must be a whole number, not {dataType}"),
    "INVALID_LIMIT_LIKE_EXPRESSION.IS_UNFOLDABLE": Words("the {name} must be a constant"),
    "INVALID_LIMIT_LIKE_EXPRESSION.IS_NULL": Words("the {name} cannot be NULL"),
    "DUPLICATED_CTE_NAMES": Words("WITH has more than one query {duplicateNames}"),
    "REQUIRED_PARAMETER_NOT_FOUND": Words("the procedure {routineName} needs {parameterName}"),
    "_LEGACY_ERROR_TEMP_1034": Words("{clauseName} cannot hold window functions", "QUALIFY can"),
    # What was read here and is not understood there has no place in the user's text that one could name.
    "PARSE_SYNTAX_ERROR": Words("syntax error"),
    "INVALID_TIME_TRAVEL_TIMESTAMP_EXPR": Words("{expr} is not a point in time"),
    "INVALID_CONF_VALUE.TIME_ZONE": Words("there is no time zone {confValue}"),
    "_LEGACY_ERROR_TEMP_2330": Words(
        "the column {fieldName} may hold NULL already and cannot become NOT NULL", kind=errors.NotSupportedError
    ),
}

_SNAPSHOTS = '"t$snapshots" lists the snapshots of a table t'
_REFS = '"t$refs" lists the branches and tags of a table t'

#: Messages without a condition, most of them Iceberg's; the groups are parameters, the one called `about` the culprit.
BY_TEXT: tuple[tuple[re.Pattern[str], Words], ...] = tuple(
    (re.compile(pattern), words)
    for pattern, words in {
        r"Cannot find snapshot with ID (?P<about>-?\d+)": Words(
            "there is no snapshot {about}", _SNAPSHOTS, errors.NotFoundError
        ),
        r"Cannot (?:find|roll back to|cherry-?pick)[\w ]* snapshot(?: id)?:? (?P<about>-?\d+)\b": Words(
            "there is no snapshot {about}", _SNAPSHOTS, errors.NotFoundError
        ),
        r"Cannot find the (?:start|end) snapshot: (?P<about>\d+)": Words(
            "there is no snapshot {about}", _SNAPSHOTS, errors.NotFoundError
        ),
        r"Cannot set \S+ to unknown snapshot: (?P<about>\d+)": Words(
            "there is no snapshot {about}", _SNAPSHOTS, errors.NotFoundError
        ),
        r"Cannot find matching snapshot ID or reference name for version (?P<about>.+)": Words(
            "there is no snapshot, branch or tag {about}", _REFS, errors.NotFoundError
        ),
        r"Cannot find a snapshot older than (?P<when>\S+)": Words(
            "the table had no snapshot yet at {when}", _SNAPSHOTS, errors.NotFoundError
        ),
        r"Cannot use branch \(does not exist\): (?P<about>.+)": Words(
            "there is no branch {about}", _REFS, errors.NotFoundError
        ),
        r"Ref does not exist: (?P<about>.+)": Words("there is no branch or tag {about}", _REFS, errors.NotFoundError),
        r"Branch does not exist: (?P<about>.+)": Words("there is no branch {about}", _REFS, errors.NotFoundError),
        r"Tag does not exist: (?P<about>.+)": Words("there is no tag {about}", _REFS, errors.NotFoundError),
        r"Ref (?P<about>\S+) already exists": Words(
            "there is a branch or tag {about} already", _REFS, errors.AlreadyExistsError
        ),
        r"(?:Couldn't|Can't) find column (?P<about>\S+) in": Words("there is no column {about}"),
        r"Cannot find field '(?P<about>[^']+)' in struct": Words("there is no column {about}"),
        r"Cannot add field (?P<about>\S+) as an identifier field: not found": Words("there is no column {about}"),
        r"Cannot add field (?P<about>\S+) as an identifier field: not a required field": Words(
            "the column {about} may be NULL; only NOT NULL columns tell rows apart"
        ),
        r'Cannot find partition field to remove: (?:ref\(name=")?(?P<about>[^"]+)': Words(
            "there is no partition field {about}"
        ),
        r"Multiple assignments for '(?P<about>[^']+)'": Words("the column {about} is set more than once"),
        r"Invalid source type (?P<type>.+) for transform: (?P<transform>\w+)": Words(
            "the partition transform {transform} does not take {type}"
        ),
        r"Cannot change column type: (?P<about>[^:]+): (?P<type>.+) -> (?P<otherType>.+)": Words(
            "the column {about} cannot change from {type} to {otherType}"
        ),
        r"Incompatible change: cannot add required column: (?P<about>.+)": Words(
            "a new column cannot be NOT NULL without a default: {about}"
        ),
        r"Namespace does not exist: (?P<about>.+)": Words(
            "there is no schema {about}", "SHOW SCHEMAS IN catalog lists what there is", errors.NotFoundError
        ),
        r"Cannot create table \S+ in catalog \S+ Namespace (?P<about>\S+) does not exist": Words(
            "there is no schema {about}", "SHOW SCHEMAS IN catalog lists what there is", errors.NotFoundError
        ),
        r"(?:Table|View) does not exist: (?P<about>.+)": Words(
            "there is no table {about}", "SHOW TABLES IN catalog.schema lists what there is", errors.NotFoundError
        ),
        r"(?:Table|View) with same name already exists: (?P<about>.+)": Words(
            "{about} exists already", None, errors.AlreadyExistsError
        ),
        r"Namespace (?P<about>\S+) is not empty": Words(
            "the schema {about} is not empty", "drop what is in it first", errors.UserError
        ),
        r"Not a supported type: (?P<type>.+)": Words(
            "a table cannot hold values of type {type}", None, errors.NotSupportedError
        ),
        r"Invalid type for (?P<about>\S+): (?P<type>\S+) is not supported until v(?P<version>\d)": Words(
            "the column {about} of type {type} needs version {version} of the table format",
            "WITH (format_version = {version}), or a CAST to another type",
            errors.NotSupportedError,
        ),
        r"Unsupported format version: v(?P<version>\d+)": Words("there is no version {version} of the table format"),
        r'For input string: "(?P<about>.*)"': Words("'{about}' is not a number", None, errors.SqlSemanticError),
        r"Unable to load region from any of the providers": Words(
            "the region of the bucket is not known",
            "say region => '…' in the call of a reader, or set AWS_REGION",
            errors.ExternalError,
        ),
        r"Illegal sequence boundaries": Words("the step must not be zero, and must lead from start to stop"),
        r"Delta table (?P<about>\S+) doesn't exist": Words(
            "there is no Delta table at {about}", None, errors.NotFoundError
        ),
        r"(?P<about>\S+) is not a Parquet file": Words("{about} is not a Parquet file", None, errors.ExternalError),
    }.items()
)
