package sqe.jvm;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.BlobMetadata;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.StatisticsFile;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableScan;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.CloseableIterator;
import org.apache.iceberg.transforms.Transforms;
import org.apache.iceberg.types.Comparators;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.classic.SparkSession;

/** What the files of a table say about its columns, and how many different values `compute_table_stats` counted. */
final class TableStats {
  private final List columns = new ArrayList();
  private long rows;

  private TableStats(Table table) {
    for (Iterator fields = table.schema().columns().iterator(); fields.hasNext(); ) {
      columns.add(new Column((Types.NestedField) fields.next()));
    }
  }

  static String of(SparkSession session, String catalog, String schema, String name) throws Exception {
    Table table = TableFacts.load(session, catalog, schema, name);
    TableStats stats = new TableStats(table);
    TableScan scan = (TableScan) ((TableScan) table.newScan().ignoreResiduals()).includeColumnStats();
    CloseableIterable tasks = scan.planFiles();
    try {
      CloseableIterator iterator = tasks.iterator();
      while (iterator.hasNext()) {
        stats.add((DataFile) ((FileScanTask) iterator.next()).file());
      }
    } finally {
      tasks.close();
    }
    return Json.text(stats.facts(distinct(table)));
  }

  private void add(DataFile file) {
    rows += file.recordCount();
    for (Iterator all = columns.iterator(); all.hasNext(); ) {
      ((Column) all.next()).add(file);
    }
  }

  private Map facts(Map distinct) {
    List found = new ArrayList();
    for (Iterator all = columns.iterator(); all.hasNext(); ) {
      found.add(((Column) all.next()).facts(rows, distinct));
    }
    Map facts = new LinkedHashMap();
    facts.put("rows", Double.valueOf(rows));
    facts.put("columns", found);
    return facts;
  }

  /** By the id of a column: the count in the newest statistics of the table's current line of snapshots. */
  private static Map distinct(Table table) {
    Map counts = new HashMap();
    Snapshot snapshot = table.currentSnapshot();
    while (snapshot != null && counts.isEmpty()) {
      for (Iterator files = table.statisticsFiles().iterator(); files.hasNext(); ) {
        StatisticsFile file = (StatisticsFile) files.next();
        if (file.snapshotId() == snapshot.snapshotId()) {
          addCounts(file, counts);
        }
      }
      snapshot = snapshot.parentId() == null ? null : table.snapshot(snapshot.parentId().longValue());
    }
    return counts;
  }

  private static void addCounts(StatisticsFile file, Map counts) {
    for (Iterator blobs = file.blobMetadata().iterator(); blobs.hasNext(); ) {
      BlobMetadata blob = (BlobMetadata) blobs.next();
      Object count = blob.properties().get("ndv");
      if (count != null && blob.fields().size() == 1) {
        counts.put(blob.fields().get(0), Double.valueOf((String) count));
      }
    }
  }

  /** One column of the table. */
  private static final class Column {
    private final Types.NestedField field;
    private final Type type;
    private final boolean ordered;
    private long bytes;
    private long nulls;
    private boolean nullsKnown = true;
    private boolean bytesKnown = true;
    private boolean boundsKnown = true;
    private Object low;
    private Object high;

    Column(Types.NestedField field) {
      this.field = field;
      this.type = field.type();
      // The bounds of texts and bytes are cut off.
      this.ordered = type.isPrimitiveType()
          && type.typeId() != Type.TypeID.STRING && type.typeId() != Type.TypeID.BINARY
          && type.typeId() != Type.TypeID.FIXED && type.typeId() != Type.TypeID.UUID
          && type.typeId() != Type.TypeID.VARIANT;
    }

    void add(DataFile file) {
      Integer id = Integer.valueOf(field.fieldId());
      Long size = file.columnSizes() == null ? null : (Long) file.columnSizes().get(id);
      bytesKnown &= size != null;
      bytes += size == null ? 0 : size.longValue();
      Long missing = file.nullValueCounts() == null ? null : (Long) file.nullValueCounts().get(id);
      nullsKnown &= missing != null;
      nulls += missing == null ? 0 : missing.longValue();
      if (ordered && boundsKnown && (missing == null || missing.longValue() < file.recordCount())) {
        addBounds(
            file.lowerBounds() == null ? null : (ByteBuffer) file.lowerBounds().get(id),
            file.upperBounds() == null ? null : (ByteBuffer) file.upperBounds().get(id));
      }
    }

    private void addBounds(ByteBuffer lowest, ByteBuffer highest) {
      if (lowest == null || highest == null) {
        boundsKnown = false;
        return;
      }
      Comparator order = Comparators.forType(type.asPrimitiveType());
      Object from = Conversions.fromByteBuffer(type, lowest);
      Object to = Conversions.fromByteBuffer(type, highest);
      low = low == null || order.compare(from, low) < 0 ? from : low;
      high = high == null || order.compare(to, high) > 0 ? to : high;
    }

    Map facts(long rows, Map distinct) {
      boolean nested = !type.isPrimitiveType();
      Map facts = new LinkedHashMap();
      facts.put("name", field.name());
      facts.put("data_size", bytesKnown && !nested ? Double.valueOf(bytes) : null);
      facts.put("distinct", rows == 0 ? (Object) Double.valueOf(0) : distinct.get(Integer.valueOf(field.fieldId())));
      facts.put("nulls", rows == 0 ? Double.valueOf(1) : nullsKnown && !nested ? Double.valueOf((double) nulls / rows) : null);
      facts.put("low", shown(low));
      facts.put("high", shown(high));
      return facts;
    }

    private String shown(Object value) {
      return value == null || !boundsKnown ? null : Transforms.identity().toHumanString(type, value);
    }
  }
}
