package sqe.jvm;

import java.util.Arrays;
import java.util.List;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.spark.SparkCatalog;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.connector.catalog.CatalogPlugin;

/** A table's name, and Iceberg's own catalog behind Spark's, for what Spark's statements cannot say. */
final class IcebergTables {
  final Catalog catalog;
  final TableIdentifier name;
  private final String full;

  private IcebergTables(Catalog catalog, TableIdentifier name, String full) {
    this.catalog = catalog;
    this.name = name;
    this.full = full;
  }

  /** By catalog, schema and name. */
  static IcebergTables of(SparkSession session, Object path) {
    List parts = (List) path;
    String owner = (String) parts.get(0);
    String schema = (String) parts.get(1);
    CatalogPlugin plugin = SessionCatalogs.plugin(session, owner);
    String full = owner + "." + schema + "." + parts.get(2);
    if (!(plugin instanceof SparkCatalog)) {
      throw new WrongArguments(full + " is not in an Iceberg catalog");
    }
    String[] levels = schema.split("\\.");
    TableIdentifier name = TableIdentifier.of(Namespace.of(levels), (String) parts.get(2));
    return new IcebergTables(((SparkCatalog) plugin).icebergCatalog(), name, full);
  }

  boolean exists() {
    return catalog.tableExists(name);
  }

  public String toString() {
    return full;
  }
}
