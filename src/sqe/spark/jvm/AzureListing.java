package sqe.jvm;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.iceberg.io.FileIO;

/**
 * What is in a folder of an Azure container. Iceberg's client reads files by the `blob` interface and lists by the
 * `dfs` one. Here the first does both: every kind of account has it, and it lists one folder without all below.
 * Azure's classes come with the group azure.
 */
final class AzureListing {
  private static final String PACKAGE = "com.azure.storage.blob.models.";

  private AzureListing() {}

  /** Names and what they are, in the order of the store; `prefix` is empty or ends with a slash. */
  static Map children(FileIO store, String address, String prefix, Path folder) {
    Map children = new LinkedHashMap();
    for (Iterator items = items(store, address, prefix).iterator(); items.hasNext(); ) {
      Object item = items.next();
      String name = ((String) get(item, "getName")).substring(prefix.length());
      boolean inner = Boolean.TRUE.equals(get(item, "isPrefix"));
      if (inner) {
        name = name.replaceAll("/$", "");
      }
      // Some writers leave an empty file of the folder's name beside it.
      if (name.length() > 0 && (inner || !children.containsKey(name))) {
        String path = (folder.isRoot() ? "" : folder.toUri().getPath()) + "/" + name;
        Path child = new Path(folder.toUri().getScheme(), folder.toUri().getAuthority(), path);
        children.put(name, inner ? RemoteSource.folder(child) : file(item, child));
      }
    }
    return children;
  }

  private static FileStatus file(Object item, Path path) {
    Object properties = get(item, "getProperties");
    long modified = ((OffsetDateTime) get(properties, "getLastModified")).toInstant().toEpochMilli();
    return RemoteSource.file(path, ((Long) get(properties, "getContentLength")).longValue(), modified);
  }

  private static Iterable items(FileIO store, String address, String prefix) {
    try {
      Object files = call(store, store.getClass().getMethod("client", new Class[] {String.class}), address);
      Method blobs = files.getClass().getDeclaredMethod("getBlobContainerClient", new Class[0]);
      blobs.setAccessible(true);
      Object container = blobs.invoke(files, new Object[0]);
      Class kind = Class.forName(PACKAGE + "ListBlobsOptions");
      Object options = kind.getConstructor(new Class[0]).newInstance(new Object[0]);
      call(options, kind.getMethod("setPrefix", new Class[] {String.class}), prefix);
      Class[] kinds = {String.class, kind, Duration.class};
      Method list = container.getClass().getMethod("listBlobsByHierarchy", kinds);
      return (Iterable) list.invoke(container, new Object[] {"/", options, null});
    } catch (InvocationTargetException problem) {
      throw asThrown(problem);
    } catch (ReflectiveOperationException other) {
      throw new NotReachable("the jars for abfss:// are not there, or of a version that cannot be used");
    }
  }

  private static Object call(Object on, Method method, String argument) throws ReflectiveOperationException {
    return method.invoke(on, new Object[] {argument});
  }

  private static Object get(Object of, String what) {
    try {
      return of.getClass().getMethod(what, new Class[0]).invoke(of, new Object[0]);
    } catch (InvocationTargetException problem) {
      throw asThrown(problem);
    } catch (ReflectiveOperationException other) {
      throw new NotReachable("the jars for abfss:// are of a version that cannot be used");
    }
  }

  private static RuntimeException asThrown(InvocationTargetException problem) {
    Throwable cause = problem.getCause();
    return cause instanceof RuntimeException ? (RuntimeException) cause : new RuntimeException(cause);
  }
}
