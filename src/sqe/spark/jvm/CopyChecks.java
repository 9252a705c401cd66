package sqe.jvm;

import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimestampType;
import scala.runtime.AbstractFunction1;

/** Fails a COPY whose values would come back as others. */
final class CopyChecks {
  /** How the name of a folder says NULL. */
  private static final String NO_VALUE = "__HIVE_DEFAULT_PARTITION__";

  private CopyChecks() {}

  static Dataset checked(Dataset frame, List partitions, String format) {
    StructField[] fields = frame.schema().fields();
    Column[] columns = new Column[fields.length];
    boolean any = false;
    for (int i = 0; i < fields.length; i++) {
      String name = fields[i].name();
      DataType type = fields[i].dataType();
      Column column = functions.col("`" + name.replace("`", "``") + "`");
      Column wrong = "orc".equals(format) ? skippedDays(column, type) : null;
      String said = "ORC has no days from 1582-10-05 to 1582-10-14";
      if (type instanceof StringType && contains(partitions, name)) {
        wrong = column.isin(new Object[] {"", NO_VALUE});
        said = "a partition's value cannot be an empty text or " + NO_VALUE + ": it would be read as NULL";
      }
      columns[i] = wrong == null ? column : failing(column, wrong, said).as(name);
      any = any || wrong != null;
    }
    return any ? (Dataset) frame.select(columns) : frame;
  }

  /** Names of columns may be written in another case. */
  private static boolean contains(List names, String name) {
    for (Iterator all = names.iterator(); all.hasNext(); ) {
      if (((String) all.next()).equalsIgnoreCase(name)) {
        return true;
      }
    }
    return false;
  }

  private static Column failing(Column column, Column when, String said) {
    return functions.when(when, functions.raise_error(functions.lit(said))).otherwise(column);
  }

  /**
   * Whether a value holds one of the days that were left out when the calendar changed: ORC's writer keeps days by the
   * old calendar, in which they do not exist. Null for a type without days.
   */
  private static Column skippedDays(Column value, DataType type) {
    if (type instanceof DateType || type instanceof TimestampType) {
      Column after = value.geq(functions.lit("1582-10-05").cast(type));
      return after.and(value.lt(functions.lit("1582-10-15").cast(type)));
    }
    if (type instanceof ArrayType) {
      return inArray(value, ((ArrayType) type).elementType());
    }
    if (type instanceof MapType) {
      Column keys = inArray(functions.map_keys(value), ((MapType) type).keyType());
      return either(keys, inArray(functions.map_values(value), ((MapType) type).valueType()));
    }
    Column found = null;
    if (type instanceof StructType) {
      StructField[] fields = ((StructType) type).fields();
      for (int i = 0; i < fields.length; i++) {
        found = either(found, skippedDays(value.getField(fields[i].name()), fields[i].dataType()));
      }
    }
    return found;
  }

  private static Column inArray(Column array, final DataType element) {
    if (skippedDays(functions.lit(null), element) == null) {
      return null;
    }
    return functions.exists(
        array,
        new AbstractFunction1() {
          public Object apply(Object one) {
            return skippedDays((Column) one, element);
          }
        });
  }

  private static Column either(Column one, Column other) {
    if (one == null || other == null) {
      return one == null ? other : one;
    }
    return one.or(other);
  }
}
