"""What a statement may make of Spark: allow lists that go to the JVM with its start. `PlanGuard.java` applies them.

Spark SQL can do far more than this engine offers: run programs, call Java methods, read any file, show the settings.
The dialect has no words for most of it, but a text may come from elsewhere: a view that another engine has stored, the
condition of a procedure. So each parsed plan of a session is looked at, and what is not known here is refused.
"""

from __future__ import annotations

from typing import Any, Final

from sqe.core.session_settings import ENGINE_SETTINGS

#: Nodes of parsed queries, by the names of Spark's classes.
_QUERY_NODES: Final = frozenset({
    "Aggregate", "CTERelationDef", "CTERelationRef", "Distinct", "Except", "Filter", "Generate", "GlobalLimit",
    "Intersect", "Join", "LateralJoin", "LimitAll", "LocalLimit", "LocalRelation", "Offset", "OneRowRelation",
    "PipeOperator", "Pivot", "Project", "RelationTimeTravel", "Sample", "Sort", "SubqueryAlias", "Union", "Unpivot",
    "UnresolvedHaving", "UnresolvedHint", "UnresolvedInlineTable", "UnresolvedRelation",
    "UnresolvedSubqueryColumnAliases", "UnresolvedTVFAliases", "UnresolvedTableValuedFunction", "UnresolvedWith",
    "WithCTE", "WithWindowDefinition",
})  # fmt: skip
#: Statements that the dialect writes, and what stands in them for names.
_COMMAND_NODES: Final = frozenset({
    "AddColumns", "AddPartitionField", "AlterColumns", "Call", "CommentOnNamespace", "CreateIcebergView",
    "CreateNamespace",
    "CreateOrReplaceBranch", "CreateOrReplaceTag", "CreateTable", "CreateTableAsSelect", "CreateView",
    "CreateViewCommand", "DeleteFromTable", "DescribeNamespace", "DescribeQueryCommand", "DescribeRelation",
    "DropBranch", "DropColumns", "DropIcebergView", "DropIdentifierFields",
    "DropNamespace", "DropPartitionField", "DropTable", "DropTag",
    "DropView", "ExplainCommand", "InsertIntoStatement", "MergeIntoTable", "RenameColumn", "RenameTable",
    "ReplacePartitionField", "ReplaceTable", "ReplaceTableAsSelect", "ResetCommand", "ResolvedIdentifier",
    "SetCatalogAndNamespace",
    "SetCommand", "SetIdentifierFields", "SetNamespaceProperties", "SetTableProperties", "SetViewProperties",
    "SetWriteDistributionAndOrdering", "TruncateTable", "UnresolvedIdentifier", "UnresolvedNamespace",
    "UnresolvedProcedure", "UnresolvedTable", "UnresolvedTableOrView", "UnresolvedView", "UnsetTableProperties",
    "UnsetViewProperties", "UpdateTable",
})  # fmt: skip
#: Leaves of analyzed plans that hold no data from outside, or only what code of ours has put there.
_LEAVES: Final = frozenset({
    "CTERelationRef", "CommandResult", "ExternalRDD", "LocalRelation", "LogicalRDD", "OneRowRelation", "Range",
    "SparkExpressionConverter$DummyRelation", "UnionLoopRef",
})  # fmt: skip
#: They run methods, programs or code that no statement may bring along, or read files beside the rules.
_FUNCTIONS: Final = frozenset({
    "reflect", "java_method", "try_reflect", "sqe_java", "from_protobuf", "to_protobuf", "python_worker_logs",
})  # fmt: skip
#: The same as resolved expressions, by the names of Spark's classes.
_EXPRESSIONS: Final = frozenset({
    "CallMethodViaReflection", "TryReflect", "PythonUDF", "PythonUDAF", "PythonUDTF", "PythonFuncExpression",
    "UnresolvedPolymorphicPythonUDTF", "FromProtobuf", "ToProtobuf", "ExpressionWithUnresolvedIdentifier",
})  # fmt: skip
_PROCEDURES: Final = frozenset({
    "rewrite_data_files", "rewrite_manifests", "rewrite_position_delete_files", "expire_snapshots",
    "remove_orphan_files", "rollback_to_snapshot", "rollback_to_timestamp", "set_current_snapshot",
    "cherrypick_snapshot", "publish_changes", "fast_forward", "ancestors_of", "compute_table_stats",
    "compute_partition_stats",
})  # fmt: skip
#: Those that take paths: who may call them is said with each statement.
PATH_PROCEDURES: Final = frozenset({"register_table", "remove_orphan_files"})
#: Arguments of procedures that are places of files, each with its number, and the table that they belong to.
_PATH_ARGUMENTS: Final = {"remove_orphan_files": {"table": 0, "location": 2, "file_list_view": 5}}
#: How the names of properties end that hold the name of a class: Iceberg, Parquet and ORC load it and run its code.
_CLASS_PROPERTIES: Final = (".impl", "-impl", "_impl", ".class", "-class", "_class")
#: What a person calls something whose class is named otherwise.
_WORDS: Final = {
    "ScriptTransformation": "TRANSFORM",
    "UnresolvedExecuteImmediate": "EXECUTE IMMEDIATE",
    "PlanWithUnresolvedIdentifier": "IDENTIFIER(…)",
    "ExpressionWithUnresolvedIdentifier": "IDENTIFIER(…)",
    "CompoundBody": "BEGIN … END",
    "AddJarsCommand": "ADD JAR",
    "AddFilesCommand": "ADD FILE",
    "AddArchivesCommand": "ADD ARCHIVE",
    "InsertIntoDir": "INSERT OVERWRITE DIRECTORY",
    "CreateTempViewUsing": "CREATE TEMPORARY VIEW … USING",
    "CreateSQLFunctionCommand": "CREATE FUNCTION",
    "CreateUserDefinedFunctionCommand": "CREATE FUNCTION",
    "LoadData": "LOAD DATA",
    "RepairTable": "MSCK REPAIR TABLE",
    "SetTableLocation": "ALTER TABLE … SET LOCATION",
    "OverwriteByExpression": "INSERT INTO … REPLACE WHERE",
    "CacheTableAsSelect": "CACHE TABLE",
    "RefreshResource": "REFRESH",
    "CallMethodViaReflection": "the function reflect",
    "TryReflect": "the function try_reflect",
    "UnresolvedInlineTable": "VALUES",
}


def guard_rules() -> dict[str, Any]:
    """The lists as plain data."""
    return {
        "nodes": sorted(_QUERY_NODES | _COMMAND_NODES),
        "leaves": sorted(_LEAVES),
        "functions": sorted(_FUNCTIONS),
        "expressions": sorted(_EXPRESSIONS),
        "procedures": sorted(_PROCEDURES),
        "path_procedures": sorted(PATH_PROCEDURES),
        "path_arguments": _PATH_ARGUMENTS,
        "class_properties": list(_CLASS_PROPERTIES),
        "settings": sorted(ENGINE_SETTINGS),
        "words": _WORDS,
    }
