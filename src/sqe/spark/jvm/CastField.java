package sqe.jvm;

import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GetStructField;
import org.apache.spark.sql.types.NullType;
import org.apache.spark.sql.types.StructType;
import scala.Option;
import scala.collection.immutable.Seq;
import scala.runtime.AbstractFunction1;

/** `cast_field(row, number, count)`: a field by its place, of a row with so many of them. A cast of rows goes by place. */
final class CastField extends AbstractFunction1 {
  public Object apply(Object children) {
    Seq arguments = (Seq) children;
    Expression row = (Expression) arguments.apply(0);
    int number = ((Integer) ((Expression) arguments.apply(1)).eval(null)).intValue();
    int count = ((Integer) ((Expression) arguments.apply(2)).eval(null)).intValue();
    if (row.dataType() instanceof NullType) {
      // In an array without elements; the type of the field is that of the cast around this.
      return row;
    }
    if (!(row.dataType() instanceof StructType) || ((StructType) row.dataType()).length() != count) {
      throw new WrongArguments(
          "a value of type " + TypeNames.name(row.dataType()) + " cannot be cast to a row of " + count + " fields");
    }
    return new GetStructField(row, number, Option.empty());
  }
}
