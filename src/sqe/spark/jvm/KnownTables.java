package sqe.jvm;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.spark.SparkCatalog;
import org.apache.iceberg.spark.source.SparkTable;
import org.apache.spark.sql.connector.catalog.CatalogPlugin;
import org.apache.spark.sql.connector.catalog.Table;

/**
 * What listings tell of tables, by the file of their metadata: a change of a table writes a new file, so nothing here
 * can be out of date. A catalog that tells the places of all its tables at once is listed without a look at each.
 */
final class KnownTables {
  private static final int MOST = 20000;
  private static final Map TEXTS = Collections.synchronizedMap(new Newest());

  private KnownTables() {}

  /** Places of metadata by the names of tables; empty for a catalog that tells them one by one. */
  static Map locations(CatalogPlugin plugin, String[] namespace) throws Exception {
    Object catalog = plugin instanceof SparkCatalog ? ((SparkCatalog) plugin).icebergCatalog() : null;
    Map found = catalog instanceof SqliteCatalog
        ? ((SqliteCatalog) catalog).metadataLocations(Namespace.of(namespace)) : null;
    return found == null ? Collections.EMPTY_MAP : found;
  }

  /** Two texts of JSON, columns and properties; null for a table that nobody has looked at. */
  static String[] get(String location) {
    return (String[]) TEXTS.get(location);
  }

  static void put(Table table, String[] facts) {
    Object inner = table instanceof SparkTable ? ((SparkTable) table).table() : null;
    if (inner instanceof HasTableOperations) {
      String location = ((HasTableOperations) inner).operations().current().metadataFileLocation();
      if (location != null) {
        TEXTS.put(location, facts);
      }
    }
  }

  private static final class Newest extends LinkedHashMap {
    Newest() {
      super(16, 0.75f, true);
    }

    protected boolean removeEldestEntry(Map.Entry eldest) {
      return size() > MOST;
    }
  }
}
