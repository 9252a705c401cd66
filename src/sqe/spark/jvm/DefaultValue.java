package sqe.jvm;

import java.nio.ByteBuffer;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.expressions.Literal;
import org.apache.iceberg.spark.SparkSchemaUtil;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataType;

/** The default of a column as Iceberg keeps it: Spark computes and casts the value, Iceberg takes it. */
final class DefaultValue {
  private DefaultValue() {}

  /** Null for a query that is null, and for one whose value is. */
  static Literal of(SparkSession session, String query, Type type, String column) {
    if (query == null) {
      return null;
    }
    if (!type.isPrimitiveType()) {
      throw new WrongArguments("the column " + column + " of type " + type + " cannot have a default but NULL");
    }
    Dataset value = (Dataset) session.sql(query);
    Column written = value.col(value.columns()[0]);
    refuseLoss(value, written, SparkSchemaUtil.convert(type), column);
    Column only = written.cast(SparkSchemaUtil.convert(type));
    Row[] rows = (Row[]) value.select(new Column[] {carried(only, type)}).collect();
    Object found = rows[0].get(0);
    if (found == null) {
      return null;
    }
    Literal literal = literal(found, type);
    Literal fitting = literal.to(type);
    if (fitting == null) {
      throw new WrongArguments("the default of " + column + " does not fit its type " + type);
    }
    return fitting;
  }

  private static void refuseLoss(Dataset value, Column written, DataType to, String column) {
    DataType from = value.schema().fields()[0].dataType();
    boolean loses = LossyWrites.loses(from, to);
    if (!loses && LossyWrites.mayLose(from, to)) {
      Column kept = written.cast(to).cast(from).eqNullSafe(written);
      loses = !((Row[]) value.select(new Column[] {kept}).collect())[0].getBoolean(0);
    }
    if (loses) {
      throw new WrongArguments(
          "the default of " + column + " is of type " + TypeNames.name(from) + " and would lose a part in type "
              + TypeNames.name(to));
    }
  }

  /** In a form that reaches Java without loss and that Iceberg reads: moments as microseconds or text, else text. */
  private static Column carried(Column value, Type type) {
    Type.TypeID id = type.typeId();
    if (id == Type.TypeID.TIMESTAMP && ((Types.TimestampType) type).shouldAdjustToUTC()) {
      return functions.unix_micros(value);
    }
    boolean itself =
        id == Type.TypeID.BOOLEAN
            || id == Type.TypeID.INTEGER
            || id == Type.TypeID.LONG
            || id == Type.TypeID.FLOAT
            || id == Type.TypeID.DOUBLE
            || id == Type.TypeID.BINARY;
    return itself ? value : value.cast("string");
  }

  private static Literal literal(Object value, Type type) {
    if (value instanceof byte[]) {
      return Expressions.lit(ByteBuffer.wrap((byte[]) value));
    }
    if (type.typeId() == Type.TypeID.TIMESTAMP && value instanceof String) {
      // Spark's text has a blank where ISO 8601 has a T.
      return Expressions.lit(((String) value).replace(' ', 'T'));
    }
    return Expressions.lit(value);
  }
}
