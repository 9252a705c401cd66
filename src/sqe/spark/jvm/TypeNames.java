package sqe.jvm;

import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimeType;
import org.apache.spark.sql.types.VarcharType;

/** Spark's types in Trino's words. */
public final class TypeNames {
  private TypeNames() {}

  static String name(DataType type) {
    if (type instanceof ArrayType) {
      return "array(" + name(((ArrayType) type).elementType()) + ")";
    }
    if (type instanceof MapType) {
      return "map(" + name(((MapType) type).keyType()) + ", " + name(((MapType) type).valueType()) + ")";
    }
    if (type instanceof StructType) {
      return "row(" + fields((StructType) type) + ")";
    }
    if (type instanceof DecimalType) {
      return "decimal(" + ((DecimalType) type).precision() + "," + ((DecimalType) type).scale() + ")";
    }
    if (type instanceof VarcharType) {
      return "varchar(" + ((VarcharType) type).length() + ")";
    }
    if (type instanceof TimeType) {
      return "time(" + ((TimeType) type).precision() + ")";
    }
    String kind = Kinds.nameOf(type);
    return kind.equals("timestamp") ? "timestamp(6)"
        : kind.equals("timestamptz") ? "timestamp(6) with time zone"
        : kind.equals("interval day") ? "interval day to second"
        : kind.equals("interval year") ? "interval year to month" : kind;
  }

  /** Fields that a row was given no names for (field0, field1, …) have none for a user either. */
  private static String fields(StructType row) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < row.length(); i++) {
      StructField field = row.fields()[i];
      boolean unnamed = field.name().equals("field" + i);
      text.append(i == 0 ? "" : ", ").append(unnamed ? "" : field.name() + " ").append(name(field.dataType()));
    }
    return text.toString();
  }
}
