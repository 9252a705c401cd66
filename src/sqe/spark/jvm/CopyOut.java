package sqe.jvm;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Observation;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.NullType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * COPY … TO: the rows of a statement as one file, or as a folder of files when they are partitioned. What is written
 * appears under its name when it is complete, and not at all when something fails.
 */
final class CopyOut {
  private final SparkSession session;
  private final Dataset frame;
  private final Map request;
  private final Path target;
  private final FileSystem files;

  CopyOut(SparkSession session, Dataset frame, Map request) throws IOException {
    this.session = session;
    this.frame = frame;
    this.request = request;
    FileAccess access = FileAccess.of(session);
    if (FilePlace.isFar((String) request.get("target"))) {
      throw new NotOffered("COPY writes to local files only\nfiles in object stores and on web servers are only read");
    }
    FilePlace place = FilePlace.of((String) request.get("target"), access.folder, Collections.EMPTY_MAP);
    access.check(place, Collections.EMPTY_MAP);
    this.target = place.hadoopPath(place.path);
    this.files = target.getFileSystem(session.sessionState().newHadoopConf());
  }

  /** How many rows were written. */
  long run(String id) throws Exception {
    List partitions = (List) request.get("partition_by");
    boolean overwrite = Boolean.TRUE.equals(request.get("overwrite"));
    refuse(!partitions.isEmpty(), overwrite);
    Path scratch = new Path(target.getParent(), ".sqe-copy-" + id);
    try {
      long rows = write(scratch, partitions);
      if (partitions.isEmpty()) {
        moveOnly(scratch);
      } else {
        files.delete(target, true);
        move(scratch, target);
      }
      return rows;
    } finally {
      files.delete(scratch, true);
    }
  }

  private void refuse(boolean folder, boolean overwrite) throws IOException {
    if (!files.exists(target)) {
      Path parent = target.getParent();
      if (parent != null && !files.exists(parent)) {
        throw new WrongArguments("there is no folder " + parent.toUri().getPath());
      }
      return;
    }
    FileStatus there = files.getFileStatus(target);
    if (!folder && there.isDirectory()) {
      throw new WrongArguments(target.toUri().getPath() + " is a folder; one file was to be written");
    }
    if (folder && !there.isDirectory()) {
      throw new WrongArguments(target.toUri().getPath() + " is a file; partitions need a folder");
    }
    if (folder && !overwrite && files.listStatus(target).length > 0) {
      throw new WrongArguments(target.toUri().getPath() + " is not empty; OVERWRITE true replaces it");
    }
  }

  private long write(Path scratch, List partitions) throws Exception {
    String format = (String) request.get("format");
    Observation counted = new Observation("sqe-copy");
    Column rows = functions.count(functions.lit(Integer.valueOf(1))).as("rows");
    Dataset observed = (Dataset) frame.observe(counted, rows, new Column[0]);
    observed = plain(CopyChecks.checked(observed, partitions, format), format);
    // One file in the order of the rows; what comes before runs side by side as ever.
    Dataset shaped = partitions.isEmpty() ? (Dataset) observed.coalesce(1) : observed;
    Map options = options(format, shaped.schema().length() - partitions.size());
    org.apache.spark.sql.DataFrameWriter writer = shaped.write().format(format).options(options).mode("error");
    if (!partitions.isEmpty()) {
      writer = writer.partitionBy((String[]) partitions.toArray(new String[0]));
    }
    writer.save(scratch.toString());
    Object found = counted.getAsJava().get("rows");
    return ((Long) found).longValue();
  }

  /** A row of one NULL would be an empty line in CSV, which is neither written nor read; so it gets quotes. */
  private Map options(String format, int columns) {
    Map options = new HashMap((Map) request.get("options"));
    Object none = options.get("nullValue");
    if ("csv".equals(format) && columns == 1 && (none == null || "".equals(none))) {
      if ("".equals(options.get("emptyValue"))) {
        throw new WrongArguments("a NULL of one column is lost without quotes\nadd NULLSTR 'text', or leave QUOTE out");
      }
      options.put("nullValue", options.get("emptyValue"));
    }
    return options;
  }

  /** What a format has no form for leaves as text: in CSV arrays, maps and rows are JSON, bytes are hexadecimal. */
  private static Dataset plain(Dataset frame, String format) {
    boolean csv = "csv".equals(format);
    if (!csv && !"json".equals(format)) {
      return frame;
    }
    StructField[] fields = frame.schema().fields();
    Column[] columns = new Column[fields.length];
    for (int i = 0; i < fields.length; i++) {
      Column column = frame.col("`" + fields[i].name().replace("`", "``") + "`");
      DataType type = fields[i].dataType();
      if (csv && (type instanceof ArrayType || type instanceof MapType || type instanceof StructType)) {
        Map options = java.util.Collections.singletonMap("timestampNTZFormat", "yyyy-MM-dd HH:mm:ss.SSSSSS");
        column = functions.to_json(column, options);
      } else if (csv && type instanceof BinaryType) {
        column = functions.hex(column);
      } else if (type instanceof NullType || type.typeName().startsWith("time(")) {
        column = column.cast("string");
      }
      columns[i] = column.as(fields[i].name());
    }
    return (Dataset) frame.select(columns);
  }

  private void moveOnly(Path scratch) throws IOException {
    List parts = new ArrayList();
    FileStatus[] all = files.listStatus(scratch);
    for (int i = 0; i < all.length; i++) {
      if (all[i].getPath().getName().startsWith("part-")) {
        parts.add(all[i].getPath());
      }
    }
    if (parts.size() > 1) {
      throw new IOException("more than one file was written");
    }
    if (files.exists(target)) {
      files.delete(target, false);
    }
    if (parts.isEmpty()) {
      files.create(target, true).close();
      return;
    }
    for (Iterator only = parts.iterator(); only.hasNext(); ) {
      move((Path) only.next(), target);
    }
  }

  private void move(Path from, Path to) throws IOException {
    if (!files.rename(from, to)) {
      throw new IOException("could not write " + to);
    }
  }
}
