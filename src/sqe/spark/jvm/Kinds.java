package sqe.jvm;

import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.CalendarIntervalType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.DayTimeIntervalType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.NullType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimeType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;
import org.apache.spark.sql.types.YearMonthIntervalType;

/** The kinds of arguments that the function table distinguishes. */
final class Kinds {
  private static final Map NAMES = names();

  private Kinds() {}

  private static Map names() {
    Map names = new LinkedHashMap();
    names.put(BooleanType.class, "boolean");
    names.put(ByteType.class, "tinyint");
    names.put(ShortType.class, "smallint");
    names.put(IntegerType.class, "integer");
    names.put(LongType.class, "bigint");
    names.put(DecimalType.class, "decimal");
    names.put(FloatType.class, "real");
    names.put(DoubleType.class, "double");
    names.put(StringType.class, "varchar");
    names.put(BinaryType.class, "varbinary");
    names.put(DateType.class, "date");
    names.put(TimeType.class, "time");
    names.put(TimestampNTZType.class, "timestamp");
    names.put(TimestampType.class, "timestamptz");
    names.put(DayTimeIntervalType.class, "interval day");
    names.put(YearMonthIntervalType.class, "interval year");
    names.put(CalendarIntervalType.class, "interval");
    names.put(ArrayType.class, "array");
    names.put(MapType.class, "map");
    names.put(StructType.class, "row");
    names.put(NullType.class, "unknown");
    return names;
  }

  static String nameOf(DataType type) {
    for (Class c = type.getClass(); c != null; c = c.getSuperclass()) {
      Object name = NAMES.get(c);
      if (name != null) {
        return (String) name;
      }
    }
    return type.simpleString();
  }

  /** Whether an argument is of a kind; a NULL without a type is of every kind, a quoted kind is that very text. */
  static boolean matches(String kind, Expression argument) {
    if (kind.startsWith("'")) {
      return isText(argument, kind.substring(1, kind.length() - 1));
    }
    if (kind.equals("any")) {
      return true;
    }
    String name = nameOf(argument.dataType());
    if (name.equals("unknown") || name.equals(kind)) {
      return true;
    }
    if (kind.startsWith("array of ")) {
      return argument.dataType() instanceof ArrayType
          && typeMatches(kind.substring(9), ((ArrayType) argument.dataType()).elementType());
    }
    return typeMatches(kind, argument.dataType());
  }

  private static boolean typeMatches(String kind, DataType type) {
    String name = nameOf(type);
    if (name.equals(kind)) {
      return true;
    }
    boolean integral =
        name.equals("tinyint") || name.equals("smallint") || name.equals("integer") || name.equals("bigint");
    boolean floating = name.equals("real") || name.equals("double");
    if (kind.equals("integral")) {
      return integral;
    }
    if (kind.equals("floating")) {
      return floating;
    }
    return kind.equals("number") && (integral || floating || name.equals("decimal"));
  }

  private static boolean isText(Expression argument, String text) {
    if (!argument.foldable() || !(argument.dataType() instanceof StringType)) {
      return false;
    }
    Object value = argument.eval(null);
    return value != null && value.toString().equalsIgnoreCase(text);
  }
}
