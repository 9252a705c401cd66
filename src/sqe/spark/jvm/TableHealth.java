package sqe.jvm;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataOperations;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableScan;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.CloseableIterator;
import org.apache.iceberg.util.StructLikeWrapper;
import org.apache.spark.sql.classic.SparkSession;

/** How much a table would gain from a rewrite of its files; the rules are those of Iceberg's own bin-packing. */
final class TableHealth {
  private static final String PREFIX = "sqe.maintenance.";
  private static final long TARGET_BYTES = 512L << 20;
  private static final double SMALL = 0.75;
  private static final double LARGE = 1.8;

  private final long target;
  private final long fewest;
  private final long mostDeletes;
  private final List sizes = new ArrayList();
  private final Set deletes = new HashSet();
  /** By spec and partition: count and bytes of the files that a rewrite would take. */
  private final Map groups = new HashMap();
  private long small;
  private long heavy;

  private TableHealth(Map properties) {
    long written = number(properties, "write.target-file-size-bytes", TARGET_BYTES);
    target = number(properties, PREFIX + "compaction.target-file-size-bytes", written);
    fewest = number(properties, PREFIX + "compaction.min-input-files", 5);
    mostDeletes = number(properties, PREFIX + "compaction.delete-file-threshold", 2);
  }

  static String of(SparkSession session, String catalog, String schema, String name) throws Exception {
    Table table = TableFacts.load(session, catalog, schema, name);
    TableHealth health = new TableHealth(table.properties());
    TableScan scan = (TableScan) table.newScan().ignoreResiduals();
    CloseableIterable tasks = scan.planFiles();
    try {
      CloseableIterator iterator = tasks.iterator();
      while (iterator.hasNext()) {
        health.add(table, (FileScanTask) iterator.next());
      }
    } finally {
      tasks.close();
    }
    return Json.text(health.facts(table));
  }

  private void add(Table table, FileScanTask task) {
    DataFile file = (DataFile) task.file();
    long bytes = file.fileSizeInBytes();
    sizes.add(Long.valueOf(bytes));
    for (Iterator all = task.deletes().iterator(); all.hasNext(); ) {
      deletes.add(((DeleteFile) all.next()).location());
    }
    boolean isSmall = bytes < target * SMALL;
    boolean isHeavy = task.deletes().size() >= mostDeletes;
    small += isSmall ? 1 : 0;
    heavy += isHeavy ? 1 : 0;
    if (isSmall || isHeavy || bytes > target * LARGE) {
      Object partition = StructLikeWrapper.forType(task.spec().partitionType()).set(file.partition());
      List key = Arrays.asList(new Object[] {Integer.valueOf(file.specId()), partition});
      long[] group = (long[]) groups.get(key);
      if (group == null) {
        group = new long[3];
        groups.put(key, group);
      }
      group[0]++;
      group[1] += bytes;
      group[2] += isHeavy ? 1 : 0;
    }
  }

  private Map facts(Table table) {
    long eligible = 0;
    long bytes = 0;
    for (Iterator all = groups.values().iterator(); all.hasNext(); ) {
      long[] group = (long[]) all.next();
      boolean several = group[0] > 1 && (group[0] >= fewest || group[1] > target);
      if (several || group[2] > 0 || group[1] > target * LARGE) {
        eligible++;
        bytes += group[1];
      }
    }
    Map facts = new LinkedHashMap();
    facts.put("live_data_files", Integer.valueOf(sizes.size()));
    facts.put("small_files", Long.valueOf(small));
    facts.put("avg_file_bytes", average());
    facts.put("p50_file_bytes", median());
    facts.put("delete_files", Integer.valueOf(deletes.size()));
    facts.put("delete_heavy_files", Long.valueOf(heavy));
    facts.put("eligible_groups", Long.valueOf(eligible));
    facts.put("est_rewrite_bytes", Long.valueOf(bytes));
    facts.put("last_compaction_snapshot_ms", lastCompaction(table));
    facts.put("maintenance_enabled", Boolean.valueOf((String) table.properties().get(PREFIX + "enabled")));
    return facts;
  }

  private Long average() {
    long sum = 0;
    for (Iterator all = sizes.iterator(); all.hasNext(); ) {
      sum += ((Long) all.next()).longValue();
    }
    return sizes.isEmpty() ? null : Long.valueOf(sum / sizes.size());
  }

  private Long median() {
    Object[] sorted = sizes.toArray();
    Arrays.sort(sorted);
    return sorted.length == 0 ? null : (Long) sorted[(sorted.length - 1) / 2];
  }

  /** The last snapshot that changed files but no rows. */
  private static Long lastCompaction(Table table) {
    Long last = null;
    for (Iterator all = table.snapshots().iterator(); all.hasNext(); ) {
      Snapshot snapshot = (Snapshot) all.next();
      if (DataOperations.REPLACE.equals(snapshot.operation()) && isOfData(snapshot)) {
        last = Long.valueOf(Math.max(last == null ? 0 : last.longValue(), snapshot.timestampMillis()));
      }
    }
    return last;
  }

  /** A rewrite of manifests alone touches no data file. */
  private static boolean isOfData(Snapshot snapshot) {
    Object added = snapshot.summary().get("added-data-files");
    Object deleted = snapshot.summary().get("deleted-data-files");
    return added != null || deleted != null;
  }

  private static long number(Map properties, String key, long otherwise) {
    Object found = properties.get(key);
    try {
      return found == null ? otherwise : Long.parseLong((String) found);
    } catch (NumberFormatException odd) {
      throw new BadValue("the property " + key + " is not a number: " + found);
    }
  }
}
