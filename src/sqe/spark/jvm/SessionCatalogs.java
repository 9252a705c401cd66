package sqe.jvm;

import java.io.Closeable;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.spark.SparkCatalog;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.connector.catalog.CatalogManager;
import org.apache.spark.sql.connector.catalog.CatalogPlugin;
import org.apache.spark.sql.connector.catalog.SupportsNamespaces;

/**
 * The catalogs of a session: Spark loads each when it is first used; they are closed when the session ends, which Spark
 * itself never does (connections and threads would leak).
 */
final class SessionCatalogs {
  private static final String PREFIX = "spark.sql.catalog.";

  private SessionCatalogs() {}

  /** A catalog of a session, in whatever thread. */
  static CatalogPlugin plugin(SparkSession session, String name) {
    scala.Option active = SparkSession.getActiveSession();
    // Spark reads the catalog's settings from the thread's session, not from the one that it is asked for.
    SparkSession.setActiveSession(session);
    try {
      return session.sessionState().catalogManager().catalog(name);
    } finally {
      if (active.isDefined()) {
        SparkSession.setActiveSession((SparkSession) active.get());
      } else {
        SparkSession.clearActiveSession();
      }
    }
  }

  /** Loads all of them ahead of their use. */
  static void load(SparkSession session) {
    for (Iterator names = names(session).iterator(); names.hasNext(); ) {
      try {
        plugin(session, (String) names.next());
      } catch (Exception broken) {
        // The statement that uses this catalog will say what is wrong with it.
      }
    }
  }

  /** The catalogs that the session was given, whether they answer or not. */
  static List names(SparkSession session) {
    List found = new ArrayList();
    scala.collection.immutable.Map settings = session.conf().getAll();
    for (scala.collection.Iterator keys = settings.keysIterator(); keys.hasNext(); ) {
      String key = (String) keys.next();
      if (key.startsWith(PREFIX) && key.indexOf('.', PREFIX.length()) < 0) {
        found.add(key.substring(PREFIX.length()));
      }
    }
    return found;
  }

  /** Adds a catalog to a running session; one that does not answer is taken away again. */
  static void attach(SparkSession session, String name, Map settings) {
    for (Iterator entries = settings.entrySet().iterator(); entries.hasNext(); ) {
      Map.Entry entry = (Map.Entry) entries.next();
      session.conf().set((String) entry.getKey(), (String) entry.getValue());
    }
    try {
      CatalogPlugin made = plugin(session, name);
      ((SupportsNamespaces) made).listNamespaces();
    } catch (Throwable failure) {
      detach(session, name);
      throw new CatalogUnavailable(failure);
    }
  }

  /** Takes a catalog away from a running session. */
  static void detach(SparkSession session, String name) {
    scala.Option catalog = all(session.sessionState().catalogManager()).remove(name);
    if (catalog.isDefined()) {
      close(catalog.get());
    }
    String own = PREFIX + name;
    scala.collection.immutable.Map settings = session.conf().getAll();
    for (scala.collection.Iterator keys = settings.keysIterator(); keys.hasNext(); ) {
      String key = (String) keys.next();
      if (key.equals(own) || key.startsWith(own + ".")) {
        session.conf().unset(key);
      }
    }
  }

  static void close(SparkSession session) {
    scala.collection.mutable.Map loaded = all(session.sessionState().catalogManager());
    for (scala.collection.Iterator values = loaded.valuesIterator(); values.hasNext(); ) {
      close(values.next());
    }
    session.sessionState().catalogManager().reset();
  }

  private static void close(Object catalog) {
    Object inner = catalog instanceof SparkCatalog ? ((SparkCatalog) catalog).icebergCatalog() : null;
    if (inner instanceof Closeable) {
      try {
        ((Closeable) inner).close();
      } catch (java.io.IOException ignored) {
        // It is thrown away in any case.
      }
    }
  }

  /** Spark's own way asks the catalog whether the schema exists; a client may want to make it first. */
  static void use(SparkSession session, String catalog, String schema) {
    CatalogManager manager = session.sessionState().catalogManager();
    manager.setCurrentCatalog(catalog);
    try {
      field("_currentNamespace").set(manager, scala.Option.apply(schema.split("\\.")));
    } catch (ReflectiveOperationException changed) {
      throw new IllegalStateException("this Spark keeps its current schema elsewhere", changed);
    }
  }

  private static scala.collection.mutable.Map all(CatalogManager manager) {
    try {
      return (scala.collection.mutable.Map) field("catalogs").get(manager);
    } catch (ReflectiveOperationException changed) {
      throw new IllegalStateException("this Spark keeps its catalogs elsewhere", changed);
    }
  }

  private static Field field(String name) throws ReflectiveOperationException {
    Field field = CatalogManager.class.getDeclaredField(name);
    field.setAccessible(true);
    return field;
  }
}
