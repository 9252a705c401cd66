package sqe.jvm;

import java.io.Closeable;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.iceberg.spark.SparkCatalog;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.connector.catalog.CatalogManager;

/**
 * The catalogs of a session: loads them, since Spark lists only those that were used before, and closes them when the
 * session ends, since Spark itself never does (connections and threads would leak).
 */
final class SessionCatalogs {
  private static final String PREFIX = "spark.sql.catalog.";

  private SessionCatalogs() {}

  static void load(SparkSession session) {
    scala.collection.immutable.Map settings = session.conf().getAll();
    for (scala.collection.Iterator keys = settings.keysIterator(); keys.hasNext(); ) {
      String key = (String) keys.next();
      if (key.startsWith(PREFIX) && key.indexOf('.', PREFIX.length()) < 0) {
        try {
          session.sessionState().catalogManager().catalog(key.substring(PREFIX.length()));
        } catch (Exception broken) {
          // The statement that uses this catalog will say what is wrong with it.
        }
      }
    }
  }

  static void close(SparkSession session) {
    for (Iterator loaded = loaded(session.sessionState().catalogManager()).iterator(); loaded.hasNext(); ) {
      Object catalog = loaded.next();
      if (catalog instanceof SparkCatalog) {
        Object inner = ((SparkCatalog) catalog).icebergCatalog();
        if (inner instanceof Closeable) {
          try {
            ((Closeable) inner).close();
          } catch (java.io.IOException ignored) {
            // It is thrown away in any case.
          }
        }
      }
    }
    session.sessionState().catalogManager().reset();
  }

  private static List loaded(CatalogManager manager) {
    List found = new ArrayList();
    try {
      Field field = CatalogManager.class.getDeclaredField("catalogs");
      field.setAccessible(true);
      scala.collection.Map map = (scala.collection.Map) field.get(manager);
      for (scala.collection.Iterator values = map.valuesIterator(); values.hasNext(); ) {
        found.add(values.next());
      }
    } catch (ReflectiveOperationException changed) {
      throw new IllegalStateException("this Spark keeps its catalogs elsewhere", changed);
    }
    return found;
  }
}
