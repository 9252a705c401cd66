package sqe.jvm;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.spark.SparkSchemaUtil;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.TypeUtil;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.types.DataType;

/** A new table with the columns of others, columns of its own, and perhaps with all that makes one of the others. */
final class TableLike {
  private final SparkSession session;
  private final Object everythingOf;
  private final List fields = new ArrayList();
  private final Set names = new HashSet();
  private final Table whole;
  private int version = 1;
  private int lastId;

  private TableLike(SparkSession session, Object everythingOf) {
    this.session = session;
    this.everythingOf = everythingOf;
    whole = everythingOf == null ? null : load(everythingOf);
    lastId = whole == null ? 0 : whole.schema().highestFieldId();
  }

  /** Answers whether a table was made. */
  static boolean create(SparkSession session, Map request) {
    IcebergTables target = IcebergTables.of(session, request.get("table"));
    TableLike made = new TableLike(session, request.get("everything_of"));
    List parts = (List) request.get("parts");
    for (Iterator all = parts.iterator(); all.hasNext(); ) {
      made.add(all.next());
    }
    if (Boolean.TRUE.equals(request.get("if_not_exists")) && target.exists()) {
      return false;
    }
    made.builder(target, request).create();
    return true;
  }

  private Catalog.TableBuilder builder(IcebergTables target, Map request) {
    Set identifiers = whole == null ? new HashSet() : whole.schema().identifierFieldIds();
    Catalog.TableBuilder builder = target.catalog.buildTable(target.name, new Schema(fields, identifiers));
    if (whole != null) {
      builder = builder.withPartitionSpec(whole.spec()).withSortOrder(whole.sortOrder());
      builder = builder.withProperties(whole.properties());
    }
    builder = builder.withProperty("format-version", String.valueOf(version));
    Map properties = (Map) request.get("properties");
    for (Iterator entries = properties.entrySet().iterator(); entries.hasNext(); ) {
      Map.Entry entry = (Map.Entry) entries.next();
      PlanGuard.property(entry.getKey(), entry.getValue());
    }
    builder = builder.withProperties(properties);
    String location = (String) request.get("location");
    PlanGuard.property("location", location);
    return location == null ? builder : builder.withLocation(location);
  }

  private Table load(Object path) {
    IcebergTables other = IcebergTables.of(session, path);
    return other.catalog.loadTable(other.name);
  }

  private void add(Object part) {
    if (part instanceof Map) {
      addColumn((Map) part);
      return;
    }
    // Partitioning and order name their columns by the ids that these have in their own table.
    boolean keeps = part.equals(everythingOf);
    Table source = keeps ? whole : load(part);
    version = Math.max(version, ((BaseTable) source).operations().current().formatVersion());
    for (Iterator columns = source.schema().columns().iterator(); columns.hasNext(); ) {
      Types.NestedField field = (Types.NestedField) columns.next();
      addField(keeps ? field : withFreshIds(field));
    }
  }

  private void addColumn(Map column) {
    String name = (String) ((List) column.get("path")).get(0);
    Type type = SparkSchemaUtil.convert(DataType.fromDDL((String) column.get("type")));
    Types.NestedField.Builder builder =
        Boolean.TRUE.equals(column.get("required")) ? Types.NestedField.required(name) : Types.NestedField.optional(name);
    addField(withFreshIds(builder.withId(0).ofType(type).withDoc((String) column.get("comment")).build()));
  }

  private void addField(Types.NestedField field) {
    if (!names.add(field.name())) {
      throw new WrongArguments("the column " + field.name() + " is there twice");
    }
    fields.add(field);
  }

  private Types.NestedField withFreshIds(Types.NestedField field) {
    TypeUtil.NextID next =
        new TypeUtil.NextID() {
          public int get() {
            return ++lastId;
          }
        };
    return Types.NestedField.from(field).withId(next.get()).ofType(TypeUtil.assignFreshIds(field.type(), next)).build();
  }
}
