package sqe.jvm;

import java.lang.reflect.Method;
import java.util.Iterator;
import java.util.List;
import java.util.ServiceLoader;

/**
 * Adds jars to the class path of this JVM while it runs, as Java's agents do it. A loader of our own would not do:
 * classes of Spark and Iceberg, which need those in the jars, only look where they themselves were found.
 */
final class ClassPath {
  private ClassPath() {}

  static void add(List jars) throws ReflectiveOperationException {
    ClassLoader loader = ClassLoader.getSystemClassLoader();
    Class[] kinds = {String.class};
    Method append = loader.getClass().getDeclaredMethod("appendToClassPathForInstrumentation", kinds);
    append.setAccessible(true);
    for (Iterator paths = jars.iterator(); paths.hasNext(); ) {
      append.invoke(loader, new Object[] {paths.next()});
    }
    // Java has looked for JDBC drivers before; those in the new jars announce themselves when they are loaded.
    for (Iterator drivers = ServiceLoader.load(java.sql.Driver.class, loader).iterator(); drivers.hasNext(); ) {
      drivers.next();
    }
  }
}
