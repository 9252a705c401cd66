package sqe.jvm;

import java.lang.reflect.Method;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;

/**
 * Jars that come to a running JVM. They must be seen by Iceberg's and Spark's own classes (a JDBC driver is looked for
 * from there), so they go to the class loader that holds those.
 */
final class ClassPath {
  private static final Set ADDED = new HashSet();

  private ClassPath() {}

  static synchronized void add(List jars) throws Exception {
    ClassLoader loader = ClassLoader.getSystemClassLoader();
    Method append =
        loader.getClass().getDeclaredMethod("appendToClassPathForInstrumentation", new Class[] {String.class});
    append.setAccessible(true);
    for (Iterator all = jars.iterator(); all.hasNext(); ) {
      String jar = (String) all.next();
      if (ADDED.add(jar)) {
        append.invoke(loader, new Object[] {jar});
      }
    }
    // Java has looked for JDBC drivers before; those in the new jars announce themselves when they are loaded.
    for (Iterator drivers = ServiceLoader.load(java.sql.Driver.class, loader).iterator(); drivers.hasNext(); ) {
      drivers.next();
    }
  }
}
