package sqe.jvm;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.apache.iceberg.ClientPool;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.jdbc.JdbcCatalog;
import org.apache.iceberg.jdbc.JdbcClientPool;

/**
 * The embedded engine's catalog: Iceberg's JDBC catalog on SQLite. All sessions of an engine share the connections of a
 * warehouse's file; a session's own catalog in memory is one connection that goes with it. The name inside the database
 * is fixed, so that a warehouse can be mounted under any name.
 */
public final class SqliteCatalog extends JdbcCatalog {
  private static final String IN_MEMORY = "jdbc:sqlite::memory:";
  private static final String NAME_IN_FILE = "iceberg";
  private static final ConcurrentHashMap POOLS = new ConcurrentHashMap();

  private String mountedAs;
  private boolean shared;
  private String uri;

  public SqliteCatalog() {
    super(
        null,
        new Function() {
          public Object apply(Object properties) {
            return pool((Map) properties);
          }
        },
        true);
  }

  private static Object pool(Map properties) {
    String uri = (String) properties.get("uri");
    if (uri.equals(IN_MEMORY)) {
      return new JdbcClientPool(1, uri, properties);
    }
    synchronized (POOLS) {
      Object pool = POOLS.get(uri);
      if (pool == null) {
        pool = new JdbcClientPool(uri, properties);
        POOLS.put(uri, pool);
      }
      return pool;
    }
  }

  public void initialize(String name, Map properties) {
    mountedAs = name;
    uri = (String) properties.get("uri");
    shared = !IN_MEMORY.equals(properties.get("uri"));
    super.initialize(NAME_IN_FILE, properties);
    String first = (String) properties.get("sqe.first-namespace");
    if (first != null && !namespaceExists(Namespace.of(new String[] {first}))) {
      try {
        createNamespace(Namespace.of(new String[] {first}), new HashMap());
      } catch (AlreadyExistsException raced) {
        // Another process opened the same warehouse at the same moment.
      }
    }
  }

  /** Where the metadata of each table of a namespace is, in one look; null for a catalog in memory. */
  Map metadataLocations(Namespace namespace) throws Exception {
    JdbcClientPool pool = (JdbcClientPool) POOLS.get(uri);
    if (pool == null) {
      return null;
    }
    final String name = String.join(".", namespace.levels());
    return (Map)
        pool.run(
            new ClientPool.Action() {
              public Object run(Object connection) throws Exception {
                return locations((Connection) connection, name);
              }
            });
  }

  private static Map locations(Connection connection, String namespace) throws Exception {
    Map found = new HashMap();
    PreparedStatement query =
        connection.prepareStatement(
            "SELECT table_name, metadata_location FROM iceberg_tables WHERE catalog_name = ? AND table_namespace = ?");
    try {
      query.setString(1, NAME_IN_FILE);
      query.setString(2, namespace);
      ResultSet rows = query.executeQuery();
      while (rows.next()) {
        found.put(rows.getString(1), rows.getString(2));
      }
    } finally {
      query.close();
    }
    return found;
  }

  public void renameTable(TableIdentifier from, TableIdentifier to) {
    super.renameTable(from, inThisCatalog(to));
  }

  public void renameView(TableIdentifier from, TableIdentifier to) {
    super.renameView(from, inThisCatalog(to));
  }

  /** Spark passes the new name as it was written; people write the catalog's name in front there too. */
  private TableIdentifier inThisCatalog(TableIdentifier name) {
    String[] levels = name.namespace().levels();
    if (levels.length < 2 || !levels[0].equals(mountedAs) || namespaceExists(name.namespace())) {
      return name;
    }
    String[] rest = (String[]) Arrays.copyOfRange(levels, 1, levels.length);
    return TableIdentifier.of(Namespace.of(rest), name.name());
  }

  /** Shared connections belong to the engine, not to one session. */
  public void close() {
    if (!shared) {
      super.close();
    }
  }
}
