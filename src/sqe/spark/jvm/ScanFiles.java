package sqe.jvm;

import java.lang.reflect.Method;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import org.apache.iceberg.ContentScanTask;
import org.apache.iceberg.ScanTask;
import org.apache.iceberg.ScanTaskGroup;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.spark.sql.connector.read.Scan;

/** What Iceberg would read for a scan: files and bytes, after its metadata has ruled out the rest. */
final class ScanFiles {
  final Long files;
  final Long bytes;
  final Long total;

  private ScanFiles(Long files, Long bytes, Long total) {
    this.files = files;
    this.bytes = bytes;
    this.total = total;
  }

  /** Null when the scan is not one of Iceberg's files. */
  static ScanFiles of(Scan scan) {
    try {
      List groups = (List) call(scan, "taskGroups");
      Table table = (Table) call(scan, "table");
      Set seen = new HashSet();
      long bytes = 0L;
      for (Iterator all = groups.iterator(); all.hasNext(); ) {
        for (Iterator tasks = ((ScanTaskGroup) all.next()).tasks().iterator(); tasks.hasNext(); ) {
          ScanTask task = (ScanTask) tasks.next();
          if (task instanceof ContentScanTask) {
            seen.add(((ContentScanTask) task).file().location());
            bytes += ((ContentScanTask) task).length();
          }
        }
      }
      return new ScanFiles(Long.valueOf((long) seen.size()), Long.valueOf(bytes), total(table.currentSnapshot()));
    } catch (ReflectiveOperationException other) {
      return null;
    } catch (ClassCastException other) {
      return null;
    }
  }

  private static Long total(Snapshot snapshot) {
    if (snapshot == null) {
      return Long.valueOf(0L);
    }
    String count = (String) snapshot.summary().get("total-data-files");
    return count == null ? null : Long.valueOf(count);
  }

  /** Iceberg keeps these methods to itself. */
  private static Object call(Object target, String name) throws ReflectiveOperationException {
    for (Class type = target.getClass(); type != null; type = type.getSuperclass()) {
      try {
        Method method = type.getDeclaredMethod(name, new Class[0]);
        method.setAccessible(true);
        return method.invoke(target, new Object[0]);
      } catch (NoSuchMethodException above) {
        // Perhaps in the class above.
      }
    }
    throw new NoSuchMethodException(name);
  }
}
