package sqe.jvm;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.jdbc.JdbcCatalog;
import org.apache.iceberg.jdbc.JdbcClientPool;

/**
 * The embedded warehouse's catalog: Iceberg's JDBC catalog on one SQLite file. All sessions of an engine share the
 * file's connections, and the name inside the file is fixed, so that a warehouse can be mounted under any name.
 */
public final class SqliteCatalog extends JdbcCatalog {
  private static final String NAME_IN_FILE = "iceberg";
  private static final ConcurrentHashMap POOLS = new ConcurrentHashMap();

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
    synchronized (POOLS) {
      String uri = (String) properties.get("uri");
      Object pool = POOLS.get(uri);
      if (pool == null) {
        pool = new JdbcClientPool(uri, properties);
        POOLS.put(uri, pool);
      }
      return pool;
    }
  }

  public void initialize(String name, Map properties) {
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

  /** The connections belong to the engine, not to one session. */
  public void close() {}
}
