package sqe.jvm;

import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.Table;
import org.apache.iceberg.UpdateSchema;
import org.apache.iceberg.expressions.Literal;
import org.apache.iceberg.spark.SparkSchemaUtil;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.types.DataType;

/** Changes of tables that Iceberg's format has and Spark's statements for it do not: defaults. */
final class TableChanges {
  private TableChanges() {}

  /** `values`: by column a query for the new default, null for none. */
  static void setDefaults(SparkSession session, Map request) {
    IcebergTables target = IcebergTables.of(session, request.get("table"));
    Table table = target.catalog.loadTable(target.name);
    UpdateSchema update = table.updateSchema();
    for (Iterator all = ((Map) request.get("values")).entrySet().iterator(); all.hasNext(); ) {
      Map.Entry entry = (Map.Entry) all.next();
      String column = (String) entry.getKey();
      Types.NestedField field = table.schema().findField(column);
      if (field == null) {
        throw new WrongArguments("there is no column " + column + " in " + target);
      }
      Literal value = DefaultValue.of(session, (String) entry.getValue(), field.type(), column);
      refuseOldFormat(table, value);
      update.updateColumnDefault(column, value);
    }
    update.commit();
  }

  static void addColumns(SparkSession session, Map request) {
    IcebergTables target = IcebergTables.of(session, request.get("table"));
    Table table = target.catalog.loadTable(target.name);
    UpdateSchema update = table.updateSchema();
    for (Iterator all = ((List) request.get("columns")).iterator(); all.hasNext(); ) {
      addColumn(session, table, update, (Map) all.next());
    }
    update.commit();
  }

  private static void addColumn(SparkSession session, Table table, UpdateSchema update, Map column) {
    List path = (List) column.get("path");
    String name = (String) path.get(path.size() - 1);
    String parent = path.size() == 1 ? null : String.join(".", path.subList(0, path.size() - 1));
    String full = parent == null ? name : parent + "." + name;
    Type type = SparkSchemaUtil.convert(DataType.fromDDL((String) column.get("type")));
    Literal value = DefaultValue.of(session, (String) column.get("default"), type, full);
    refuseOldFormat(table, value);
    String comment = (String) column.get("comment");
    if (Boolean.TRUE.equals(column.get("required"))) {
      update.addRequiredColumn(parent, name, type, comment, value);
    } else {
      update.addColumn(parent, name, type, comment, value);
    }
    String after = (String) column.get("after");
    if ("FIRST".equals(after)) {
      update.moveFirst(full);
    } else if (!after.isEmpty()) {
      update.moveAfter(full, parent == null ? after : parent + "." + after);
    }
  }

  private static void refuseOldFormat(Table table, Literal value) {
    int version = ((org.apache.iceberg.BaseTable) table).operations().current().formatVersion();
    if (value != null && version < 3) {
      throw new WrongArguments(
          "defaults need version 3 of the table format, this table has version "
              + version
              + "; ALTER TABLE … SET PROPERTIES format_version = 3 makes it so, for good");
    }
  }
}
