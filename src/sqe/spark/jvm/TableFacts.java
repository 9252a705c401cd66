package sqe.jvm;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.NullOrder;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SortDirection;
import org.apache.iceberg.SortField;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.spark.SparkCatalog;
import org.apache.iceberg.spark.source.SparkTable;
import org.apache.iceberg.transforms.Transform;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.connector.catalog.CatalogPlugin;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.SupportsNamespaces;
import org.apache.spark.sql.connector.catalog.TableCatalog;

/** What Iceberg knows about one table, as JSON. */
final class TableFacts {
  private TableFacts() {}

  static Table load(SparkSession session, String catalog, String schema, String name) throws Exception {
    TableCatalog tables = (TableCatalog) plugin(session, catalog);
    Object found = tables.loadTable(Identifier.of(schema.split("\\."), name));
    if (!(found instanceof SparkTable)) {
      throw new WrongArguments(name + " is not an Iceberg table");
    }
    return ((SparkTable) found).table();
  }

  private static CatalogPlugin plugin(SparkSession session, String catalog) {
    return SessionCatalogs.plugin(session, catalog);
  }

  /** Location, properties, format version, partition fields, sort order, identifier fields. */
  static String of(SparkSession session, String catalog, String schema, String name) throws Exception {
    Table table = load(session, catalog, schema, name);
    Map facts = new LinkedHashMap();
    facts.put("location", table.location());
    facts.put("properties", new TreeMap(table.properties()));
    facts.put("format_version", Integer.valueOf(formatVersion(table)));
    facts.put("partitioning", partitioning(table));
    facts.put("sorted_by", sortOrder(table));
    facts.put("identifier_fields", new ArrayList(table.schema().identifierFieldNames()));
    return Json.text(facts);
  }

  private static int formatVersion(Table table) {
    return ((HasTableOperations) table).operations().current().formatVersion();
  }

  private static List partitioning(Table table) {
    PartitionSpec spec = table.spec();
    List found = new ArrayList();
    for (Iterator fields = spec.fields().iterator(); fields.hasNext(); ) {
      PartitionField field = (PartitionField) fields.next();
      found.add(transformed(table.schema(), field.sourceId(), field.transform()));
    }
    return found;
  }

  private static List sortOrder(Table table) {
    List found = new ArrayList();
    for (Iterator fields = table.sortOrder().fields().iterator(); fields.hasNext(); ) {
      SortField field = (SortField) fields.next();
      String direction = field.direction() == SortDirection.ASC ? " ASC" : " DESC";
      String nulls = field.nullOrder() == NullOrder.NULLS_FIRST ? " NULLS FIRST" : " NULLS LAST";
      found.add(transformed(table.schema(), field.sourceId(), field.transform()) + direction + nulls);
    }
    return found;
  }

  /** `bucket(id, 4)` for Iceberg's `bucket[4]`. */
  private static String transformed(Schema schema, int source, Transform transform) {
    String column = quoted(schema.findColumnName(source));
    String name = transform.toString();
    if (transform.isIdentity()) {
      return column;
    }
    int bracket = name.indexOf('[');
    if (bracket < 0) {
      return name + "(" + column + ")";
    }
    return name.substring(0, bracket) + "(" + column + ", " + name.substring(bracket + 1, name.length() - 1) + ")";
  }

  private static String quoted(String path) {
    String[] parts = path.split("\\.");
    for (int i = 0; i < parts.length; i++) {
      if (!parts[i].matches("[a-z_][a-z0-9_]*")) {
        parts[i] = "\"" + parts[i].replace("\"", "\"\"") + "\"";
      }
    }
    return String.join(".", parts);
  }

  static String schemaProperties(SparkSession session, String catalog, String schema) throws Exception {
    Map found = ((SupportsNamespaces) plugin(session, catalog)).loadNamespaceMetadata(schema.split("\\."));
    return Json.text(new TreeMap(found));
  }

  /** Takes a table into a catalog by its metadata file. */
  static String register(SparkSession session, String catalog, String schema, String name, String metadata)
      throws Exception {
    Catalog iceberg = ((SparkCatalog) plugin(session, catalog)).icebergCatalog();
    Table table = iceberg.registerTable(TableIdentifier.of(Namespace.of(schema.split("\\.")), name), metadata);
    Map facts = new LinkedHashMap();
    facts.put("table_identifier", schema + "." + name);
    facts.put("snapshot_id", table.currentSnapshot() == null ? null : Long.valueOf(table.currentSnapshot().snapshotId()));
    facts.put("metadata_location", metadata);
    return Json.text(facts);
  }
}
