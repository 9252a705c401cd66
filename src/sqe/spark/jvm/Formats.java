package sqe.jvm;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.IllegalFormatException;
import java.util.Locale;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;

/** `format('%s is %d', name, age)`: Java's formats on values of Java's. */
public final class Formats {
  private static final ConcurrentHashMap TYPES = new ConcurrentHashMap();

  private Formats() {}

  /** A type, as our `type_of` writes it. */
  static DataType type(String text) {
    DataType type = (DataType) TYPES.get(text);
    if (type == null) {
      type = DataType.fromJson(text);
      TYPES.put(text, type);
    }
    return type;
  }

  /** The first field of the row is the pattern, the others are the values. */
  public static UTF8String format(InternalRow row, UTF8String types) {
    StructType type = (StructType) type(types.toString());
    if (row.isNullAt(0)) {
      return null;
    }
    Object[] values = new Object[type.length() - 1];
    for (int i = 0; i < values.length; i++) {
      DataType kind = type.fields()[i + 1].dataType();
      values[i] = row.isNullAt(i + 1) ? null : java(row.get(i + 1, kind), Kinds.nameOf(kind));
    }
    try {
      return UTF8String.fromString(String.format(Locale.ENGLISH, row.getUTF8String(0).toString(), values));
    } catch (IllegalFormatException wrong) {
      throw new BadValue("the format does not fit its values: " + wrong.getMessage());
    }
  }

  static Object java(Object value, String kind) {
    if (kind.equals("tinyint") || kind.equals("smallint") || kind.equals("integer")) {
      return Long.valueOf(((Number) value).longValue());
    }
    if (value instanceof UTF8String) {
      return value.toString();
    }
    if (value instanceof Decimal) {
      return ((Decimal) value).toJavaBigDecimal();
    }
    if (kind.equals("date")) {
      return LocalDate.ofEpochDay(((Integer) value).intValue());
    }
    if (kind.equals("time")) {
      return LocalTime.ofNanoOfDay(((Long) value).longValue());
    }
    if (kind.equals("timestamp") || kind.equals("timestamptz")) {
      return moment(((Long) value).longValue(), kind.equals("timestamptz"));
    }
    if (kind.equals("interval day")) {
      return interval(((Long) value).longValue());
    }
    if (kind.equals("interval year")) {
      return ofMonths(((Integer) value).intValue()).toString();
    }
    if (value instanceof Number || value instanceof Boolean) {
      return value;
    }
    throw new BadValue("format does not take values of type " + kind);
  }

  private static Object moment(long micros, boolean zoned) {
    Instant instant = Instant.ofEpochSecond(
        Math.floorDiv(micros, 1000000L), Math.floorMod(micros, 1000000L) * 1000L);
    LocalDateTime local = LocalDateTime.ofInstant(instant, ZoneOffset.UTC);
    return zoned ? (Object) instant.atZone(ZoneId.of(SQLConf.get().sessionLocalTimeZone())) : local;
  }

  public static UTF8String ofMonths(int months) {
    return UTF8String.fromString((months < 0 ? "-" : "") + Math.abs(months) / 12 + "-" + Math.abs(months) % 12);
  }

  public static UTF8String ofInterval(long micros) {
    return UTF8String.fromString(interval(micros));
  }

  /** `1 02:03:04.000` */
  static String interval(long micros) {
    long millis = Math.abs(micros / 1000);
    return String.format("%s%d %02d:%02d:%02d.%03d", new Object[] {
      micros < 0 ? "-" : "", Long.valueOf(millis / 86400000L), Long.valueOf(millis / 3600000L % 24),
      Long.valueOf(millis / 60000L % 60), Long.valueOf(millis / 1000L % 60), Long.valueOf(millis % 1000L)
    });
  }
}
